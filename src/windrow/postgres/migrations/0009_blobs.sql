-- Blobs: content that belongs to an item, brought by a signed URL and kept in the object store.
CREATE TABLE blobs (
  tenant_id        text        NOT NULL,
  blob_id          uuid        NOT NULL,
  project_id       text        NOT NULL,
  item_id          uuid        NOT NULL,
  state            text        NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'uploaded', 'linked', 'expired')),
  media_type       text        NOT NULL,
  name             text,
  announced_size   bigint      CHECK (announced_size >= 0),
  announced_sha256 text,
  key              text,
  size             bigint,
  sha256           text,
  requested_by     text        NOT NULL,
  requested_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at       timestamptz NOT NULL,
  uploaded_at      timestamptz,
  linked_at        timestamptz,
  tidy_at          timestamptz,
  PRIMARY KEY (tenant_id, blob_id),
  CHECK (state NOT IN ('uploaded', 'linked') OR (key IS NOT NULL AND size IS NOT NULL AND sha256 IS NOT NULL))
);
COMMENT ON TABLE blobs IS 'Content of items: asked for, uploaded by a signed URL, linked. The object that `key` names is the blob, whatever else lies beside it.';
COMMENT ON COLUMN blobs.state IS 'requested: a URL was given; uploaded: its bytes are there and checked; linked: part of the item, announced; expired: never came, or could not be linked.';
COMMENT ON COLUMN blobs.expires_at IS 'Until when the upload URL is good.';
COMMENT ON COLUMN blobs.tidy_at IS 'When to look for what was left undone: requests nobody fulfilled, objects that no row names. NULL: nothing is left.';
CREATE INDEX blobs_of_item ON blobs (tenant_id, item_id, requested_at);
CREATE INDEX blobs_recent ON blobs (tenant_id, project_id, requested_at, blob_id);
CREATE INDEX blobs_untidy ON blobs (tidy_at) WHERE tidy_at IS NOT NULL;
ALTER TABLE blobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE blobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON blobs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON blobs TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON blobs TO windrow_app;
-- that there is something to tidy, and that somebody does; never what it is
GRANT SELECT (tenant_id, blob_id, tidy_at), UPDATE (tidy_at) ON blobs TO windrow_system;
