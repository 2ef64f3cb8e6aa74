-- What was said while a run was at work: its log lines, for people to look at. And what the overview counts.

CREATE TABLE run_logs (
  tenant_id  text        NOT NULL,
  run_id     text        COLLATE "C" NOT NULL,
  project_id text        NOT NULL,
  lines      bigint      NOT NULL,
  serious    bigint      NOT NULL,
  last_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, run_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE run_logs IS 'The log of each run: how many lines were said, and when the last one was written down. Whoever writes lines locks the row.';
COMMENT ON COLUMN run_logs.lines IS 'All that were said, also those that are not kept: the number of the latest.';
COMMENT ON COLUMN run_logs.serious IS 'Those of them that are warnings or worse.';
CREATE INDEX run_logs_old ON run_logs (last_at);
ALTER TABLE run_logs ENABLE ROW LEVEL SECURITY;
ALTER TABLE run_logs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON run_logs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON run_logs TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON run_logs TO windrow_app;
GRANT SELECT (tenant_id, run_id, last_at), DELETE ON run_logs TO windrow_system;

CREATE TABLE run_lines (
  tenant_id text        NOT NULL,
  run_id    text        COLLATE "C" NOT NULL,
  number    bigint      NOT NULL,
  at        timestamptz NOT NULL,
  level     text        NOT NULL,
  event     text        NOT NULL,
  fields    json        NOT NULL, -- in the order in which they were said
  lasting   boolean     NOT NULL DEFAULT true,
  PRIMARY KEY (tenant_id, run_id, number),
  FOREIGN KEY (tenant_id, run_id) REFERENCES run_logs ON DELETE CASCADE
);
COMMENT ON TABLE run_lines IS 'Log lines about a run, redacted. Of very many the first, the latest and the serious ones are kept.';
COMMENT ON COLUMN run_lines.lasting IS 'Whether it stays, however many come after it; if not, only while it is among the latest.';
COMMENT ON COLUMN run_lines.number IS 'The place among all that were said about the run: a gap is what was left out.';
ALTER TABLE run_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE run_lines FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON run_lines TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON run_lines TO windrow_app;

-- The overview draws the batches of an hour and the runs of a day: from the index alone, once a vacuum has been there.
CREATE INDEX harvest_outbox_pace ON harvest_outbox (tenant_id, project_id, settled_at) INCLUDE (created, updated, deleted, unchanged)
 WHERE status <> 'pending';
DROP INDEX harvest_runs_latest;
CREATE INDEX harvest_runs_latest ON harvest_runs (tenant_id, project_id, begun_at, run_id) INCLUDE (outcome);
