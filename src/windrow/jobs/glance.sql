-- What a page shows of many jobs: little of each, and never more than can be read at once, however many there are.

-- listed: newest first, a page at a time by the last id seen; never what was asked for as a whole, nor a traceback
SELECT id::text AS job_id, kind, payload ->> 'source' AS source, status, run_at, attempt_count, max_attempts, worker, last_heartbeat_at,
       last_heartbeat_at + lease < clock_timestamp() AS silent, progress, artifact IS NOT NULL AS has_artifact, cancel_requested_at,
       failure_code, error_code, left(error, 300) AS error, created_at, started_at, finished_at
  FROM jobs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(status)s::text IS NULL OR status = %(status)s)
   AND (%(named)s::text IS NULL OR kind = %(named)s)
   AND id < coalesce(%(before)s::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
 ORDER BY id DESC
 LIMIT %(limit)s;

-- some: those that are named, such as the jobs that a media job has led to
SELECT id::text AS job_id, kind, payload ->> 'source' AS source, status, run_at, attempt_count, max_attempts, worker, last_heartbeat_at,
       last_heartbeat_at + lease < clock_timestamp() AS silent, progress, artifact IS NOT NULL AS has_artifact, cancel_requested_at,
       failure_code, error_code, left(error, 300) AS error, created_at, started_at, finished_at
  FROM jobs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND id = ANY (%(ids)s::uuid[])
 ORDER BY id DESC;

-- standing: how many wait, are in hand or were given up, as far as that matters; each has a small index of its own. Asked before
-- the list: a plan that was made for every status would read the whole table to find a few of one
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status = 'scheduled'
                                 AND (%(named)s::text IS NULL OR kind = %(named)s) LIMIT %(most)s) AS j) AS scheduled,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status = 'queued'
                                 AND (%(named)s::text IS NULL OR kind = %(named)s) LIMIT %(most)s) AS j) AS queued,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status = 'processing'
                                 AND (%(named)s::text IS NULL OR kind = %(named)s) LIMIT %(most)s) AS j) AS processing,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status = 'failed'
                                 AND (%(named)s::text IS NULL OR kind = %(named)s) LIMIT %(most)s) AS j) AS failed;

-- ended: how those of the last day ended, by the hour; of very many, the latest
SELECT date_bin(interval '1 hour', finished_at, '2000-01-01') AS hour, status, count(*) AS jobs
  FROM (SELECT finished_at, status FROM jobs
         WHERE tenant_id = current_tenant() AND project_id = %(project)s AND finished_at > now() - interval '24 hours'
         ORDER BY finished_at DESC LIMIT %(most)s) AS late
 GROUP BY 1, 2;

-- kinds: of the latest jobs
SELECT DISTINCT kind FROM (SELECT kind FROM jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                            ORDER BY id DESC LIMIT 1000) AS late
 ORDER BY kind;

-- befell: the last that befell one job, the latest first; how far it was on the way is in its row
SELECT id, event, at, attempt, epoch, worker, details FROM job_events
 WHERE tenant_id = current_tenant() AND job_id = %(id)s AND event <> 'progress'
 ORDER BY id DESC LIMIT %(limit)s;
