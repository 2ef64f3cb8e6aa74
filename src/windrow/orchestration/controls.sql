-- find: what is known about an endpoint; nothing is the same as the defaults
SELECT time_zone, jitter_seconds, paused_at, paused_by, paused_why, halted_at, halted_code, halted_why
  FROM endpoint_controls
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- hold: the same, made if it is missing and kept until the end of the transaction
INSERT INTO endpoint_controls (tenant_id, project_id, endpoint_id) VALUES (current_tenant(), %(project)s, %(endpoint)s)
ON CONFLICT (tenant_id, project_id, endpoint_id) DO UPDATE SET time_zone = endpoint_controls.time_zone
RETURNING time_zone, jitter_seconds, paused_at, paused_by, paused_why, halted_at, halted_code, halted_why;

-- pause: by an operator, with the reason
UPDATE endpoint_controls SET paused_at = coalesce(paused_at, clock_timestamp()), paused_by = %(actor)s, paused_why = %(reason)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- resume: whatever held it back, a person has looked at it
UPDATE endpoint_controls
   SET paused_at = NULL, paused_by = NULL, paused_why = NULL, halted_at = NULL, halted_code = NULL, halted_why = NULL
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- halt: by a failure that only a person can mend
INSERT INTO endpoint_controls AS c (tenant_id, project_id, endpoint_id, halted_at, halted_code, halted_why)
VALUES (current_tenant(), %(project)s, %(endpoint)s, clock_timestamp(), %(code)s, %(why)s)
ON CONFLICT (tenant_id, project_id, endpoint_id) DO UPDATE
   SET halted_at = coalesce(c.halted_at, excluded.halted_at), halted_code = excluded.halted_code, halted_why = excluded.halted_why;

-- timing: in which zone the schedule is meant, and how far runs may be spread
UPDATE endpoint_controls SET time_zone = %(time_zone)s, jitter_seconds = %(jitter)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- record: one step of a lifecycle; told again, it is the same
INSERT INTO sync_transitions (tenant_id, project_id, endpoint_id, workflow_id, number, state, before, run_id, reason, error_class, code,
                              failures, next_retry_at)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(workflow_id)s, %(number)s, %(state)s, %(before)s, %(run_id)s, %(reason)s,
        %(error_class)s, %(code)s, %(failures)s, %(next_retry_at)s)
ON CONFLICT DO NOTHING;

-- supersede: a run that is still open when the next one of its lane begins was left by whoever had it, and nobody else ends it
UPDATE harvest_runs SET state = 'ended', ended_at = clock_timestamp(), outcome = 'superseded'
 WHERE tenant_id = current_tenant() AND run_id <> %(run_id)s AND state = 'running'
   AND run_id = ANY (ARRAY(SELECT r.run_id FROM harvest_runs r
                            WHERE r.tenant_id = current_tenant() AND r.project_id = %(project)s AND r.endpoint_id = %(endpoint)s
                              AND r.lane = %(lane)s
                            ORDER BY r.begun_at DESC LIMIT 20));

-- states: where each endpoint stands
SELECT DISTINCT ON (project_id, endpoint_id)
       project_id, endpoint_id, workflow_id, number, state, before, run_id, reason, error_class, code, failures, next_retry_at, at
  FROM sync_transitions
 WHERE tenant_id = current_tenant() AND (%(project)s::text IS NULL OR project_id = %(project)s)
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
 ORDER BY project_id, endpoint_id, at DESC, number DESC;

-- steps: how it came there, the latest first
SELECT project_id, endpoint_id, workflow_id, number, state, before, run_id, reason, error_class, code, failures, next_retry_at, at
  FROM sync_transitions
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s
 ORDER BY at DESC, number DESC LIMIT %(limit)s;

-- tenants: that have endpoints, as the system
SELECT tenant_id FROM scheduled_tenants ORDER BY tenant_id;

-- purge: steps of lifecycles after their retention; those of the tenant
DELETE FROM sync_transitions WHERE tenant_id = current_tenant() AND at < clock_timestamp() - make_interval(days => %(days)s);

-- staleness: for how long each connector's worst endpoint has not been known to equal its source
SELECT e.connector, extract(epoch FROM clock_timestamp() - min(coalesce(verified.at, e.created_at)))::double precision AS seconds
  FROM endpoints e
  LEFT JOIN LATERAL (
         SELECT max(r.ended_at) AS at FROM harvest_runs r
          WHERE r.tenant_id = e.tenant_id AND r.project_id = e.project_id AND r.endpoint_id = e.endpoint_id AND r.lane = 'live'
            AND r.outcome = 'done') AS verified ON true
 WHERE e.tenant_id = current_tenant() AND e.removed_at IS NULL AND e.schedule IS NOT NULL
 GROUP BY e.connector;
