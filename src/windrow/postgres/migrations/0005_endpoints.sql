-- Endpoints: the sources that are harvested.
CREATE TABLE endpoints (
  tenant_id      text        NOT NULL,
  project_id     text        NOT NULL,
  endpoint_id    text        NOT NULL,
  connector      text        NOT NULL,
  config         jsonb       NOT NULL,
  credential_ref text,
  schedule       text,
  page_size      integer,
  version        bigint      NOT NULL DEFAULT 1,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  last_checked_at timestamptz,
  removed_at     timestamptz,
  PRIMARY KEY (tenant_id, project_id, endpoint_id)
);
COMMENT ON TABLE endpoints IS 'A source that is harvested: connector, configuration, the name of its credential (never the credential), schedule. A removed one keeps its row, since its items carry its name.';
COMMENT ON COLUMN endpoints.version IS 'Rises with every edit, so that two editors cannot overwrite one another.';
ALTER TABLE endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON endpoints TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON endpoints TO windrow_app;
