-- standings: how many endpoints are how, which are in trouble, and which lag most; from one look at each. The last run that went
--            well is looked for only where it is not the last one
WITH known AS MATERIALIZED (
  SELECT endpoint_id, condition, schedule, coalesce(halted_why, message, step_reason) AS why, coalesce(halted_at, ended_at, begun_at) AS since,
         run_state = 'running' AND code IS NOT NULL AS stumbles,
         CASE WHEN schedule IS NOT NULL
              THEN extract(epoch FROM now() - coalesce(CASE WHEN outcome = 'done' THEN ended_at ELSE well_at END, created_at)) END AS lag
    FROM endpoint_standings
   WHERE tenant_id = current_tenant() AND project_id = %(project)s
)
SELECT 'condition' AS about, condition AS name, condition, count(*)::double precision AS value, NULL AS why, NULL::timestamptz AS since
  FROM known GROUP BY condition
UNION ALL
SELECT 'stumbling', NULL, NULL, count(*), NULL, NULL FROM known WHERE stumbles
UNION ALL
(SELECT 'trouble', endpoint_id, condition, 1, left(why, 300), since FROM known WHERE condition IN ('halted', 'failed') OR stumbles
  ORDER BY condition = 'halted' DESC, condition = 'failed' DESC, since DESC LIMIT 6)
UNION ALL
(SELECT 'lag', endpoint_id, condition, lag, NULL, NULL FROM known WHERE lag IS NOT NULL ORDER BY lag DESC LIMIT 6);

-- pace: what the catalog took in, minute by minute, in the last hour
SELECT date_bin(interval '1 minute', settled_at, '2000-01-01') AS minute,
       sum(coalesce(created, 0) + coalesce(updated, 0) + coalesce(deleted, 0))::bigint AS changed,
       sum(coalesce(unchanged, 0))::bigint AS unchanged
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status <> 'pending' AND settled_at > now() - interval '60 minutes'
 GROUP BY 1;

-- hours: runs by the hour in which they began, in the last day
SELECT date_bin(interval '1 hour', begun_at, '2000-01-01') AS hour, coalesce(outcome, 'running') AS outcome, count(*) AS runs
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND begun_at > now() - interval '24 hours'
 GROUP BY 1, 2;

-- queues: what waits, since when, and what was given up; nothing is counted further than `most`. Media jobs are looked at by when
--         they were made, for which there is an index, and those that moved before or since do not count
SELECT outbox.*, strands.*,
       (SELECT count(*) FROM outbox_lanes WHERE tenant_id = current_tenant() AND project_id = %(project)s
           AND stopped_at IS NOT NULL) AS stopped,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND status = 'queued' LIMIT %(most)s) AS j) AS queued,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND status = 'processing' LIMIT %(most)s) AS j) AS processing,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND status = 'failed'
                                 AND finished_at > now() - interval '24 hours' LIMIT %(most)s) AS j) AS given_up,
       (SELECT count(*) FROM (SELECT updated_at FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Failed' ORDER BY created_at DESC LIMIT %(most)s) AS m
         WHERE m.updated_at > now() - interval '24 hours') AS media_failed,
       (SELECT count(*) FROM (SELECT updated_at FROM media_jobs WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND stage = 'Queued' AND created_at < now() - interval '24 hours'
                               ORDER BY created_at DESC LIMIT %(most)s) AS m
         WHERE m.updated_at < now() - interval '24 hours') AS media_waiting,
       (SELECT count(*) FROM (SELECT FROM topic_log WHERE tenant_id = current_tenant() AND position IS NULL LIMIT %(most)s) AS m) AS unrouted,
       (SELECT count(*) FROM (SELECT FROM dead_letters WHERE tenant_id = current_tenant() LIMIT %(most)s) AS d) AS dead,
       (SELECT count(*) FROM (SELECT FROM quarantine WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND state = 'open' LIMIT %(most)s) AS q) AS quarantined
  FROM (SELECT count(*) AS outbox, min(created_at) AS outbox_since
          FROM (SELECT created_at FROM harvest_outbox WHERE tenant_id = current_tenant() AND project_id = %(project)s
                   AND status = 'pending' LIMIT %(most)s) AS b) AS outbox,
       (SELECT count(*) FILTER (WHERE NOT settled) AS strands, min(failed_at) FILTER (WHERE attempts > 0) AS strands_failing
          FROM (SELECT settled, attempts, failed_at FROM strands WHERE tenant_id = current_tenant() LIMIT %(most)s) AS s) AS strands;
