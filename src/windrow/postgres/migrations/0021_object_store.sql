-- The object store that this database belongs to. Rows name objects; in another store those are not there.

CREATE TABLE object_store (
  is_the_one boolean     PRIMARY KEY DEFAULT true CHECK (is_the_one),
  store_id   text        NOT NULL,
  place      text        NOT NULL,
  since      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE object_store IS 'The one object store whose objects the rows of this database name, by the id that lies in the store itself.';
COMMENT ON COLUMN object_store.place IS 'Where it lay when it was written down, for people: a store may be moved, and keeps its id.';
-- of the installation, and no tenant's
GRANT SELECT, INSERT, UPDATE (store_id, place, since) ON object_store TO windrow_system;
