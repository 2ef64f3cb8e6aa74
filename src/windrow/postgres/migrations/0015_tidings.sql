-- What sources have told us of themselves (HV-80). A tiding is committed in the order of its number: whoever writes one holds the
-- endpoint's lock to the end of the transaction, so that nobody who has read up to a number has passed over a lower one.
CREATE TABLE tidings (
  tenant_id    text        NOT NULL,
  project_id   text        NOT NULL,
  endpoint_id  text        NOT NULL,
  seq          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  delivery_id  text        NOT NULL CHECK (length(delivery_id) <= 200),
  refs         jsonb       NOT NULL,
  heard_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  looked_up_at timestamptz,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, seq)
);
COMMENT ON TABLE tidings IS 'Deliveries of sources, each once: what of the source is to be looked at. Kept a week after that, since a source may deliver again.';
CREATE UNIQUE INDEX tidings_once ON tidings (tenant_id, project_id, endpoint_id, delivery_id);
CREATE INDEX tidings_waiting ON tidings (tenant_id, project_id, endpoint_id, seq) WHERE looked_up_at IS NULL;
CREATE INDEX tidings_old ON tidings (looked_up_at) WHERE looked_up_at IS NOT NULL;
ALTER TABLE tidings ENABLE ROW LEVEL SECURITY;
ALTER TABLE tidings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tidings TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON tidings TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON tidings TO windrow_app;
GRANT SELECT, DELETE ON tidings TO windrow_system;
