-- take_lock: one migration at a time in this database, whoever starts it
SELECT pg_advisory_lock(hashtext('windrow.migrate'));

-- release_lock: the next one may begin
SELECT pg_advisory_unlock(hashtext('windrow.migrate'));

-- prepare: our schema, and the table that remembers what was applied
CREATE SCHEMA IF NOT EXISTS windrow;
CREATE TABLE IF NOT EXISTS windrow.migrations (
  number     integer     PRIMARY KEY,
  name       text        NOT NULL,
  checksum   text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- is_prepared: whether this database was ever migrated
SELECT to_regclass('windrow.migrations') IS NOT NULL;

-- applied: what was applied, to compare with the files
SELECT number, checksum FROM windrow.migrations;

-- search_here: migrations name their tables without the schema
SET LOCAL search_path = windrow, public;

-- remember: in the transaction that applied it
INSERT INTO windrow.migrations (number, name, checksum) VALUES (%(number)s, %(name)s, %(checksum)s);
