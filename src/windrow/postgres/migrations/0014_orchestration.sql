-- What operators and the orchestration know about an endpoint; what its author decided is in `endpoints`.

CREATE TABLE endpoint_controls (
  tenant_id      text        NOT NULL,
  project_id     text        NOT NULL,
  endpoint_id    text        NOT NULL,
  time_zone      text        NOT NULL DEFAULT 'UTC',
  jitter_seconds integer     NOT NULL DEFAULT 0 CHECK (jitter_seconds BETWEEN 0 AND 3600),
  paused_at      timestamptz,
  paused_by      text,
  paused_why     text,
  halted_at      timestamptz,
  halted_code    text,
  halted_why     text,
  PRIMARY KEY (tenant_id, project_id, endpoint_id)
);
COMMENT ON TABLE endpoint_controls IS 'Paused: by an operator. Halted: by a failure that only a person can mend. Temporal forgets what its schedules were told; this table does not.';
ALTER TABLE endpoint_controls ENABLE ROW LEVEL SECURITY;
ALTER TABLE endpoint_controls FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON endpoint_controls TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON endpoint_controls TO windrow_app;

CREATE TABLE sync_transitions (
  tenant_id     text        NOT NULL,
  project_id    text        NOT NULL,
  endpoint_id   text        NOT NULL,
  workflow_id   text        NOT NULL,
  number        integer     NOT NULL,
  state         text        NOT NULL,
  before        text,
  run_id        text,
  reason        text,
  error_class   text,
  code          text,
  failures      integer     NOT NULL,
  next_retry_at timestamptz,
  at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, workflow_id, number)
);
COMMENT ON TABLE sync_transitions IS 'The lifecycle of each synchronisation, step by step; the last one of an endpoint says where it stands.';
CREATE INDEX sync_transitions_latest ON sync_transitions (tenant_id, project_id, endpoint_id, at);
ALTER TABLE sync_transitions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_transitions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sync_transitions TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON sync_transitions TO windrow_app;

CREATE TABLE manual_triggers (
  tenant_id         text        NOT NULL,
  manual_trigger_id text        NOT NULL,
  project_id        text        NOT NULL,
  endpoint_id       text        NOT NULL,
  workflow_id       text        NOT NULL,
  actor             text        NOT NULL,
  at                timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, manual_trigger_id)
);
COMMENT ON TABLE manual_triggers IS 'Runs that people asked for: the same id twice is one run, also long after Temporal has forgotten the first.';
ALTER TABLE manual_triggers ENABLE ROW LEVEL SECURITY;
ALTER TABLE manual_triggers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON manual_triggers TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT ON manual_triggers TO windrow_app;

CREATE TABLE scheduled_tenants (
  tenant_id text NOT NULL PRIMARY KEY
);
COMMENT ON TABLE scheduled_tenants IS 'Who has ever had an endpoint: whose schedules are to be looked at by whoever makes Temporal agree with them.';
ALTER TABLE scheduled_tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE scheduled_tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON scheduled_tenants TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON scheduled_tenants FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT ON scheduled_tenants TO windrow_app;
GRANT SELECT ON scheduled_tenants TO windrow_system;

CREATE FUNCTION note_scheduled_tenant() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO scheduled_tenants (tenant_id) SELECT DISTINCT tenant_id FROM added ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER tenants AFTER INSERT ON endpoints REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_scheduled_tenant();
-- (The owner sees the rows only while they are not guarded from it.)
ALTER TABLE endpoints NO FORCE ROW LEVEL SECURITY;
ALTER TABLE scheduled_tenants NO FORCE ROW LEVEL SECURITY;
INSERT INTO scheduled_tenants (tenant_id) SELECT DISTINCT tenant_id FROM endpoints;
ALTER TABLE endpoints FORCE ROW LEVEL SECURITY;
ALTER TABLE scheduled_tenants FORCE ROW LEVEL SECURITY;

-- Whoever keeps Temporal's schedules hears at once of what concerns them.
CREATE FUNCTION tell_schedules() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('windrow_schedules', '');
  RETURN NULL;
END $$;
CREATE TRIGGER schedules AFTER INSERT OR UPDATE OF schedule, removed_at ON endpoints
  FOR EACH STATEMENT EXECUTE FUNCTION tell_schedules();
CREATE TRIGGER schedules AFTER INSERT OR UPDATE OF paused_at, halted_at, time_zone, jitter_seconds ON endpoint_controls
  FOR EACH STATEMENT EXECUTE FUNCTION tell_schedules();
