-- From a page to a batch: lanes and their fences, the outbox, what was refused, the runs.

-- Higher means asked later, across all lanes and tenants: drawn before a request is sent to the source.
CREATE SEQUENCE observation_seq;
GRANT USAGE ON SEQUENCE observation_seq TO windrow_app;

CREATE TABLE harvest_lanes (
  tenant_id   text        NOT NULL,
  project_id  text        NOT NULL,
  endpoint_id text        NOT NULL,
  lane        text        NOT NULL,
  epoch       bigint      NOT NULL,
  floor       bigint,
  run_id      text,
  begun_at    timestamptz NOT NULL DEFAULT now(),
  closed_at   timestamptz,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, lane)
) WITH (fillfactor = 50);
COMMENT ON TABLE harvest_lanes IS 'One ordered flow into the catalog of one endpoint, as its harvester sees it: whoever raises the epoch makes those before him zombies.';
COMMENT ON COLUMN harvest_lanes.floor IS 'Nothing older than this observation can still be published here; NULL while no slice is under way.';
ALTER TABLE harvest_lanes ENABLE ROW LEVEL SECURITY;
ALTER TABLE harvest_lanes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON harvest_lanes TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON harvest_lanes TO windrow_app;

CREATE TABLE outbox_lanes (
  tenant_id    text        NOT NULL,
  project_id   text        NOT NULL,
  endpoint_id  text        NOT NULL,
  lane         text        NOT NULL,
  served_at    timestamptz NOT NULL DEFAULT '-infinity',
  stopped_at   timestamptz,
  stopped_seq  bigint,
  stopped_code text,
  stopped_why  text,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, lane)
) WITH (fillfactor = 50);
COMMENT ON TABLE outbox_lanes IS 'The same lane as its subscriber sees it. A row of its own, because subscriber and harvester each lock theirs: on one row, they would wait for one another.';
ALTER TABLE outbox_lanes ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_lanes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON outbox_lanes TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON outbox_lanes TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_lanes TO windrow_app;
GRANT SELECT, UPDATE (served_at) ON outbox_lanes TO windrow_system;

CREATE TABLE harvest_outbox (
  tenant_id         text        NOT NULL,
  project_id        text        NOT NULL,
  endpoint_id       text        NOT NULL,
  lane              text        NOT NULL,
  seq               bigint      NOT NULL,
  batch_id          text        NOT NULL,
  epoch             bigint      NOT NULL,
  observation       bigint      NOT NULL,
  run_id            text        NOT NULL,
  source_system     text        NOT NULL,
  connector         text        NOT NULL,
  connector_version text        NOT NULL,
  spec_ref          text        NOT NULL,
  fetched_at        timestamptz NOT NULL,
  items             integer     NOT NULL,
  relations         integer     NOT NULL,
  tombstones        integer     NOT NULL,
  bytes             bigint      NOT NULL,
  encoding          text        NOT NULL CHECK (encoding IN ('json', 'zstd')),
  payload           bytea       NOT NULL,
  generation        bigint,
  status            text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processed', 'discarded')),
  created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at        timestamptz,
  created           integer,
  updated           integer,
  deleted           integer,
  unchanged         integer,
  outdated          integer,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, lane, seq)
);
ALTER TABLE harvest_outbox ALTER COLUMN payload SET STORAGE EXTERNAL; -- to compress every page costs more than to write it
COMMENT ON TABLE harvest_outbox IS 'Pages as batches, durable together with the cursor after them; persisted in order within their lane, and kept a while after that.';
COMMENT ON COLUMN harvest_outbox.seq IS 'The version of the cursor that this batch came with.';
COMMENT ON COLUMN harvest_outbox.batch_id IS 'A label for people; the same page from the same cursor has the same. Not a key.';
COMMENT ON COLUMN harvest_outbox.bytes IS 'The size of the JSON, before any compression.';
COMMENT ON COLUMN harvest_outbox.generation IS 'The listing that this batch completes: what is not in it may be gone.';
COMMENT ON COLUMN harvest_outbox.outdated IS 'Items of which the catalog had seen something newer, through another lane.';
CREATE INDEX harvest_outbox_pending ON harvest_outbox (tenant_id, project_id, endpoint_id, lane, seq) INCLUDE (bytes, observation) WHERE status = 'pending';
CREATE INDEX harvest_outbox_settled ON harvest_outbox (settled_at) WHERE status <> 'pending';
CREATE INDEX harvest_outbox_run ON harvest_outbox (tenant_id, run_id);
ALTER TABLE harvest_outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE harvest_outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON harvest_outbox TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON harvest_outbox TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON harvest_outbox TO windrow_app;
-- what is due, what lags and what may go; never a payload
GRANT SELECT (tenant_id, project_id, endpoint_id, lane, seq, status, bytes, created_at, settled_at), DELETE ON harvest_outbox TO windrow_system;

CREATE TABLE quarantine (
  tenant_id   text        NOT NULL,
  project_id  text        NOT NULL,
  endpoint_id text        NOT NULL,
  id          text        NOT NULL,
  state       text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'retried', 'overtaken', 'dropped')),
  lane        text        NOT NULL,
  run_id      text        NOT NULL,
  observation bigint      NOT NULL,
  position    text        NOT NULL,
  external_id text,
  item_id     uuid,
  reasons     jsonb       NOT NULL,
  excerpt     text        NOT NULL,
  record      text,
  times       integer     NOT NULL DEFAULT 1,
  first_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, project_id, endpoint_id, id)
);
COMMENT ON TABLE quarantine IS 'Records that were refused, each with all its reasons, where it was in the source, and a redacted excerpt.';
COMMENT ON COLUMN quarantine.state IS 'overtaken: the source has said something valid about the same item since, so that a retry would bring back old news.';
COMMENT ON COLUMN quarantine.record IS 'The record as the connector gave it, redacted, as JSON; what a retry validates again. Absent where it cannot be kept.';
CREATE INDEX quarantine_open ON quarantine (tenant_id, project_id, endpoint_id, item_id) WHERE state = 'open' AND item_id IS NOT NULL;
CREATE INDEX quarantine_recent ON quarantine (tenant_id, last_at);
ALTER TABLE quarantine ENABLE ROW LEVEL SECURITY;
ALTER TABLE quarantine FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON quarantine TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON quarantine TO windrow_app;

CREATE TABLE harvest_runs (
  tenant_id   text        NOT NULL,
  run_id      text        NOT NULL,
  project_id  text        NOT NULL,
  endpoint_id text        NOT NULL,
  lane        text        NOT NULL,
  state       text        NOT NULL DEFAULT 'running',
  begun_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at    timestamptz,
  pages       bigint      NOT NULL DEFAULT 0,
  fetched     bigint      NOT NULL DEFAULT 0,
  published   bigint      NOT NULL DEFAULT 0,
  repeats     bigint      NOT NULL DEFAULT 0,
  quarantined bigint      NOT NULL DEFAULT 0,
  bytes       bigint      NOT NULL DEFAULT 0,
  outcome     text,
  error_class text,
  code        text,
  message     text,
  settled     jsonb,
  PRIMARY KEY (tenant_id, run_id)
) WITH (fillfactor = 50);
COMMENT ON TABLE harvest_runs IS 'What each run read, and how it ended. The counts rise in the transactions of the pages that they count.';
COMMENT ON COLUMN harvest_runs.settled IS 'What became of it in the catalog, as verified at the end: created, updated, deleted, unchanged, outdated, discarded.';
CREATE INDEX harvest_runs_endpoint ON harvest_runs (tenant_id, project_id, endpoint_id, begun_at);
ALTER TABLE harvest_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE harvest_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON harvest_runs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON harvest_runs TO windrow_app;
