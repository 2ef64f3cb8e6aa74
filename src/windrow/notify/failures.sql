-- take_turns: the failures of one tenant are counted one after the other; of two at the same moment only one is the last straw
SELECT pg_advisory_xact_lock(hashtextextended('failed_runs ' || current_tenant(), 0));

-- note: the run, and when it failed by the clock of the database; nothing when it was noted before. What is too old goes.
WITH forgotten AS (
  DELETE FROM failed_runs WHERE tenant_id = current_tenant() AND failed_at < clock_timestamp() - %(keep)s::interval
)
INSERT INTO failed_runs (tenant_id, run_id, project_id, endpoint_id, code)
VALUES (current_tenant(), %(run_id)s, %(project)s, %(endpoint)s, %(code)s)
ON CONFLICT (tenant_id, run_id) DO NOTHING
RETURNING failed_at;

-- latest: within the window that ends with this failure, and no more of them than are needed to decide
SELECT project_id, endpoint_id, code FROM failed_runs
 WHERE tenant_id = current_tenant() AND failed_at > %(at)s::timestamptz - %(window)s::interval
 ORDER BY failed_at DESC LIMIT %(limit)s;

-- lately: no more than a person needs to know
SELECT count(*) FROM (SELECT FROM failed_runs
                       WHERE tenant_id = current_tenant() AND failed_at > now() - %(window)s::interval LIMIT %(limit)s) AS a_few;
