-- Notices are messages; all that is kept besides is which runs failed, so that too many of them page (OR-41).
CREATE TABLE failed_runs (
  tenant_id   text        NOT NULL,
  run_id      text        NOT NULL,
  project_id  text        NOT NULL,
  endpoint_id text        NOT NULL,
  code        text        NOT NULL,
  failed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, run_id)
);
COMMENT ON TABLE failed_runs IS 'Which runs of a tenant failed lately. Counted one after the other, so that exactly the one that is too much pages; those of a week ago are deleted by the next.';
CREATE INDEX failed_runs_lately ON failed_runs (tenant_id, failed_at);
ALTER TABLE failed_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE failed_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON failed_runs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON failed_runs TO windrow_app;
