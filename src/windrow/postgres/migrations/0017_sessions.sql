-- Who is logged in to the console, and what its pages look up.

CREATE TABLE login_codes (
  tenant_id  text        NOT NULL,
  code_hash  text        COLLATE "C" NOT NULL,
  project_id text        NOT NULL,
  subject    text        NOT NULL,
  roles      text[]      NOT NULL,
  anywhere   boolean     NOT NULL,
  issued_by  text        NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, code_hash)
);
COMMENT ON TABLE login_codes IS 'Login links that nobody has opened yet: the hash of each code, and who is let in by it. Using one deletes its row.';
COMMENT ON COLUMN login_codes.anywhere IS 'Whether who is let in may look at other tenants: only for the operator of the machine.';
ALTER TABLE login_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE login_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON login_codes TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON login_codes TO windrow_app;

CREATE TABLE sessions (
  tenant_id  text        NOT NULL,
  token_hash text        COLLATE "C" NOT NULL,
  project_id text        NOT NULL,
  subject    text        NOT NULL,
  roles      text[]      NOT NULL,
  anywhere   boolean     NOT NULL,
  at_tenant  text,
  at_project text,
  opened_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, token_hash),
  CHECK ((at_tenant IS NULL) = (at_project IS NULL)),
  CHECK (at_tenant IS NULL OR anywhere)
) WITH (fillfactor = 70);
COMMENT ON TABLE sessions IS 'Browsers that are logged in to the console: the hash of what the cookie holds, never the cookie. Logging out deletes the row.';
COMMENT ON COLUMN sessions.at_tenant IS 'Where it looks, if not at home.';
COMMENT ON COLUMN sessions.seen_at IS 'When somebody last asked for a page, to the minute; a page that renews itself does not count.';
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sessions TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO windrow_app;

-- What the pages ask for: the latest runs of a project, the last one that did well, what waits in quarantine, what was given up.
CREATE INDEX harvest_runs_latest ON harvest_runs (tenant_id, project_id, begun_at, run_id);
CREATE INDEX harvest_runs_well ON harvest_runs (tenant_id, project_id, endpoint_id, begun_at) WHERE outcome = 'done';
CREATE INDEX quarantine_waiting ON quarantine (tenant_id, project_id, endpoint_id, last_at) WHERE state = 'open';
CREATE INDEX jobs_given_up ON jobs (tenant_id, finished_at) WHERE status = 'failed';

-- What is said about an endpoint in one word, and from what that follows. What only some readers want is looked up for
-- them alone: a column that nobody names costs nothing.
CREATE VIEW endpoint_standings WITH (security_invoker = true) AS
SELECT e.tenant_id, e.project_id, e.endpoint_id, e.connector, e.schedule, e.created_at, e.last_checked_at,
       coalesce(c.time_zone, 'UTC') AS time_zone, coalesce(c.jitter_seconds, 0) AS jitter_seconds,
       c.paused_at, c.paused_by, c.paused_why, c.halted_at, c.halted_code, c.halted_why,
       step.state AS step, step.at AS step_at, step.reason AS step_reason, step.failures, step.next_retry_at, step.workflow_id,
       run.run_id, run.state AS run_state, run.outcome, run.begun_at, run.ended_at, run.code, run.message,
       CASE WHEN c.halted_at IS NOT NULL THEN 'halted'
            WHEN run.state = 'running' THEN 'running'
            WHEN step.state = 'Backoff' AND step.at >= run.begun_at THEN 'waiting'
            WHEN c.paused_at IS NOT NULL THEN 'paused'
            WHEN step.state IN ('Pending', 'Running', 'WaitingCursorAdvance') AND step.at > coalesce(run.ended_at, '-infinity')
                 THEN 'running'
            WHEN run.outcome = 'failed' THEN 'failed'
            WHEN run.outcome = 'done' THEN 'well'
            WHEN run.run_id IS NULL THEN 'new'
            ELSE 'ended'
       END AS condition,
       (SELECT w.ended_at FROM harvest_runs w
         WHERE w.tenant_id = e.tenant_id AND w.project_id = e.project_id AND w.endpoint_id = e.endpoint_id AND w.outcome = 'done'
         ORDER BY w.begun_at DESC LIMIT 1) AS well_at,
       (SELECT count(*) FROM (SELECT FROM quarantine q
                               WHERE q.tenant_id = e.tenant_id AND q.project_id = e.project_id AND q.endpoint_id = e.endpoint_id
                                 AND q.state = 'open' LIMIT 1000) AS waiting) AS quarantined
  FROM endpoints e
  LEFT JOIN endpoint_controls c USING (tenant_id, project_id, endpoint_id)
  LEFT JOIN LATERAL (SELECT * FROM sync_transitions t
                      WHERE t.tenant_id = e.tenant_id AND t.project_id = e.project_id AND t.endpoint_id = e.endpoint_id
                      ORDER BY t.at DESC, t.number DESC LIMIT 1) AS step ON true
  LEFT JOIN LATERAL (SELECT * FROM harvest_runs r
                      WHERE r.tenant_id = e.tenant_id AND r.project_id = e.project_id AND r.endpoint_id = e.endpoint_id
                      ORDER BY r.begun_at DESC LIMIT 1) AS run ON true
 WHERE e.removed_at IS NULL;
COMMENT ON VIEW endpoint_standings IS 'How each endpoint is, in one word: well, running, waiting, paused, halted, failed, ended, new; and what that follows from. At most 1000 are counted in quarantine.';
GRANT SELECT ON endpoint_standings TO windrow_app;
