-- standings: how many endpoints are how, which are in trouble, and which lag most; from one look at each
WITH known AS MATERIALIZED (
  SELECT endpoint_id, condition, schedule, coalesce(halted_why, message, step_reason) AS why, coalesce(halted_at, ended_at) AS since,
         CASE WHEN schedule IS NOT NULL THEN extract(epoch FROM clock_timestamp() - coalesce(well_at, created_at)) END AS lag
    FROM endpoint_standings
   WHERE tenant_id = current_tenant() AND project_id = %(project)s
)
SELECT 'condition' AS about, condition AS name, condition, count(*)::double precision AS value, NULL AS why, NULL::timestamptz AS since
  FROM known GROUP BY condition
UNION ALL
(SELECT 'trouble', endpoint_id, condition, 1, left(why, 300), since FROM known WHERE condition IN ('halted', 'failed')
  ORDER BY condition DESC, since DESC LIMIT 6)
UNION ALL
(SELECT 'lag', endpoint_id, condition, lag, NULL, NULL FROM known WHERE lag IS NOT NULL ORDER BY lag DESC LIMIT 6);

-- pace: what the catalog took in, minute by minute, in the last hour
SELECT date_bin(interval '1 minute', settled_at, '2000-01-01') AS minute,
       sum(coalesce(created, 0) + coalesce(updated, 0) + coalesce(deleted, 0))::bigint AS changed,
       sum(coalesce(unchanged, 0))::bigint AS unchanged
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND status <> 'pending'
   AND settled_at > clock_timestamp() - interval '60 minutes'
 GROUP BY 1;

-- hours: runs by the hour in which they began, in the last day
SELECT date_bin(interval '1 hour', begun_at, '2000-01-01') AS hour, coalesce(outcome, 'running') AS outcome, count(*) AS runs
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND begun_at > clock_timestamp() - interval '24 hours'
 GROUP BY 1, 2;

-- queues: what waits, since when, and what was given up; nothing is counted beyond ten thousand
SELECT (SELECT count(*) FROM (SELECT FROM harvest_outbox WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND status = 'pending' LIMIT 10000) AS b) AS outbox,
       (SELECT min(created_at) FROM (SELECT created_at FROM harvest_outbox WHERE tenant_id = current_tenant()
                                        AND project_id = %(project)s AND status = 'pending' LIMIT 10000) AS b) AS outbox_since,
       (SELECT count(*) FROM outbox_lanes WHERE tenant_id = current_tenant() AND project_id = %(project)s
           AND stopped_at IS NOT NULL) AS stopped,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND status = 'queued' LIMIT 10000) AS j) AS queued,
       (SELECT count(*) FROM jobs WHERE tenant_id = current_tenant() AND status = 'processing') AS processing,
       (SELECT count(*) FROM (SELECT FROM jobs WHERE tenant_id = current_tenant() AND status = 'failed'
                                 AND finished_at > clock_timestamp() - interval '24 hours' LIMIT 10000) AS j) AS given_up,
       (SELECT count(*) FROM (SELECT FROM topic_log WHERE tenant_id = current_tenant() AND position IS NULL LIMIT 10000) AS m) AS unrouted,
       (SELECT count(*) FROM (SELECT FROM strands WHERE tenant_id = current_tenant() AND NOT settled LIMIT 10000) AS s) AS strands,
       (SELECT min(failed_at) FROM (SELECT failed_at FROM strands WHERE tenant_id = current_tenant() AND attempts > 0
                                       AND failed_at IS NOT NULL LIMIT 10000) AS s) AS strands_failing,
       (SELECT count(*) FROM (SELECT FROM dead_letters WHERE tenant_id = current_tenant() LIMIT 10000) AS d) AS dead,
       (SELECT count(*) FROM (SELECT FROM quarantine WHERE tenant_id = current_tenant() AND project_id = %(project)s
                                 AND state = 'open' LIMIT 10000) AS q) AS quarantined;
