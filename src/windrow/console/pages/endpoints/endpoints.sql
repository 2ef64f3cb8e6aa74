-- listed: a page of endpoints by name, with what the list shows of each
SELECT endpoint_id, connector, schedule, time_zone, condition, paused_why, halted_why, step_reason, next_retry_at, run_id, run_state,
       outcome, begun_at, ended_at, code, message, well_at, created_at, quarantined
  FROM endpoint_standings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id > %(after)s
   AND (%(condition)s::text IS NULL OR condition = %(condition)s)
   AND (%(sought)s::text IS NULL OR position(%(sought)s IN endpoint_id) > 0 OR connector = %(sought)s)
 ORDER BY endpoint_id LIMIT %(limit)s;

-- counts: how many there are of each condition, whichever are shown
SELECT condition, count(*) AS endpoints FROM endpoint_standings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
 GROUP BY condition;

-- lately: the last runs of each endpoint that is shown, the oldest first
SELECT shown.endpoint_id, run.outcome, run.fetched, run.begun_at
  FROM unnest(%(endpoints)s::text[]) AS shown (endpoint_id),
       LATERAL (SELECT coalesce(r.outcome, 'running') AS outcome, r.fetched, r.begun_at FROM harvest_runs r
                 WHERE r.tenant_id = current_tenant() AND r.project_id = %(project)s AND r.endpoint_id = shown.endpoint_id
                 ORDER BY r.begun_at DESC LIMIT 14) AS run
 ORDER BY shown.endpoint_id, run.begun_at;

-- removed: a page of those that are harvested no more, by name
SELECT endpoint_id, connector, removed_at FROM endpoints
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND removed_at IS NOT NULL AND endpoint_id > %(after)s
   AND (%(sought)s::text IS NULL OR position(%(sought)s IN endpoint_id) > 0 OR connector = %(sought)s)
 ORDER BY endpoint_id LIMIT %(limit)s;

-- one: an endpoint, as it stands
SELECT endpoint_id, connector, schedule, time_zone, jitter_seconds, created_at, last_checked_at, condition, paused_at, paused_by,
       paused_why, halted_at, halted_code, halted_why, step, step_at, step_reason, failures, next_retry_at, workflow_id, run_id, run_state,
       outcome, begun_at, ended_at, code, message, well_at, quarantined
  FROM endpoint_standings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- runs: the last ones of an endpoint
SELECT run_id, lane, state, coalesce(outcome, state) AS outcome, begun_at, ended_at, fetched, published, repeats, quarantined, code, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s
 ORDER BY begun_at DESC LIMIT 20;
