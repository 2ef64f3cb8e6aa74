-- What a page shows of many media jobs: little of each, and never more than can be read at once, however many there are.

-- listed: newest first, a page at a time after the last one seen; a row that another version wrote is shown as far as it goes
SELECT job_id, stage, media ->> 'type' AS media_type, media ->> 'url' AS url, left(snapshot ->> 'title', 300) AS title,
       CASE WHEN jsonb_typeof(snapshot -> 'durationSeconds') = 'number' THEN (snapshot ->> 'durationSeconds')::float END AS seconds,
       left(snapshot -> 'author' ->> 'name', 100) AS author, clip IS NOT NULL AS clip_wished, runtime_job_id::text AS runtime_job_id,
       error ->> 'code' AS error_code, left(error ->> 'message', 300) AS error, attempts, not_before, created_at, updated_at
  FROM media_jobs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(stage)s::text IS NULL OR stage = %(stage)s)
   AND (created_at, job_id) < (coalesce(%(at)s, 'infinity'::timestamptz), %(job_id)s)
 ORDER BY created_at DESC, job_id DESC
 LIMIT %(limit)s;

-- standing: how many stand where, as far as that matters; each by the index that there is for it
SELECT (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Queued' LIMIT %(most)s) AS m) AS "Queued",
       (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'MetadataReady' LIMIT %(most)s) AS m) AS "MetadataReady",
       (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Processing' LIMIT %(most)s) AS m) AS "Processing",
       (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Completed' LIMIT %(most)s) AS m) AS "Completed",
       (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Failed' LIMIT %(most)s) AS m) AS "Failed",
       (SELECT count(*) FROM (SELECT FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Cancelled' LIMIT %(most)s) AS m) AS "Cancelled";
