-- begin: one moment for all that is read, nothing that writes, nothing that waits long, and no name but the server's own
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL search_path = pg_catalog;
SET LOCAL statement_timeout = '60s';
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10min'; -- a worker that was stopped must not keep the server from vacuuming
SET LOCAL row_security = off; -- a policy is somebody's code, and would run as us
SET LOCAL jit = off;
SET LOCAL TimeZone = 'UTC';

-- as_bytes: where a database has no encoding, the server would refuse to send what is not UTF-8
SET LOCAL client_encoding = 'SQL_ASCII';

-- databases: which ones there are, and whether we may enter them
SELECT datname AS name, has_database_privilege(oid, 'CONNECT') AS open
  FROM pg_database
 WHERE datallowconn AND NOT datistemplate
 ORDER BY datname COLLATE "C";

-- fingerprint: one word for all that items are made of; sizes, row estimates, vacuuming, refreshing and temporary tables do not change it
WITH kept AS MATERIALIZED (
  SELECT c.oid, c.relname, c.relnamespace, c.relkind, c.relowner, c.relispartition, c.relpersistence, c.relrowsecurity
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
     AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
), parts (part, facts) AS (
  SELECT 'class', concat(count(*), ' ', sum(hashtextextended(kept::text, 0))) FROM kept
   UNION ALL
  -- xmin: who wrote the row's present version
  SELECT 'attribute', concat(count(*), ' ', sum(hashtextextended(concat(a.attrelid, ' ', a.attnum, ' ', a.xmin), 0)))
    FROM pg_attribute a JOIN kept k ON k.oid = a.attrelid WHERE a.attnum > 0
   UNION ALL
  SELECT 'constraint', concat(count(*), ' ', sum(hashtextextended(concat(c.oid, ' ', c.xmin), 0)))
    FROM pg_constraint c JOIN kept k ON k.oid = c.conrelid
   UNION ALL
  SELECT 'rewrite', concat(count(*), ' ', sum(hashtextextended(concat(r.oid, ' ', r.xmin), 0)))
    FROM pg_rewrite r JOIN kept k ON k.oid = r.ev_class
   UNION ALL
  SELECT 'inherits', concat(count(*), ' ', sum(hashtextextended(concat(i.inhrelid, ' ', i.inhparent), 0)))
    FROM pg_inherits i JOIN kept k ON k.oid = i.inhrelid
   UNION ALL
  SELECT 'namespace', concat(count(*), ' ', sum(hashtextextended(concat(n.oid, ' ', n.xmin, ' ', has_schema_privilege(n.oid, 'USAGE')), 0)))
    FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
   UNION ALL
  SELECT 'description', concat(count(*), ' ', sum(hashtextextended(concat(d.objoid, ' ', d.objsubid, ' ', d.xmin), 0)))
    FROM pg_description d
   WHERE d.classoid = 'pg_namespace'::regclass OR (d.classoid = 'pg_class'::regclass AND d.objoid IN (SELECT oid FROM kept))
   UNION ALL
  SELECT 'type', concat(count(*), ' ', sum(hashtextextended(concat(t.oid, ' ', t.xmin), 0)))
    FROM pg_type t WHERE t.oid >= 16384 AND (t.typtype IN ('e', 'd', 'r', 'm') OR (t.typtype = 'b' AND t.typelem = 0))
   UNION ALL
  -- those that own something: of others a server may make and drop many
  SELECT 'role', concat(count(*), ' ', sum(hashtextextended(concat(r.oid, ' ', r.rolname), 0)))
    FROM pg_roles r
   WHERE r.oid IN (SELECT relowner FROM kept UNION ALL SELECT nspowner FROM pg_namespace
                    UNION ALL SELECT datdba FROM pg_database WHERE datname = current_database())
   UNION ALL
  SELECT 'database', concat(d.oid, ' ', d.datdba, ' ', d.encoding, ' ', d.datcollate, ' ', s.xmin, ' ', current_setting('server_version_num')::int / 10000)
    FROM pg_database d LEFT JOIN pg_shdescription s ON s.objoid = d.oid AND s.classoid = 'pg_database'::regclass
   WHERE d.datname = current_database()
)
SELECT md5(string_agg(concat(part, ' ', facts), ';' ORDER BY part)) AS print FROM parts;

-- database: the one that we are in, and the moment that this transaction sees
SELECT d.datname AS name, pg_get_userbyid(d.datdba) AS owner, pg_encoding_to_char(d.encoding) AS encoding,
       d.datcollate AS collation, left(s.description, 2000) AS comment,
       current_setting('server_version_num')::int / 10000 AS server,
       (SELECT sum(relpages)::bigint FROM pg_class) * current_setting('block_size')::bigint AS bytes,
       concat(pg_backend_pid(), '-', extract(epoch FROM now())) AS moment
  FROM pg_database d LEFT JOIN pg_shdescription s ON s.objoid = d.oid AND s.classoid = 'pg_database'::regclass
 WHERE d.datname = current_database();

-- schemas: all but the server's own, and whether we may look into them
SELECT n.oid::bigint AS oid, n.nspname AS name, pg_get_userbyid(n.nspowner) AS owner, left(d.description, 2000) AS comment,
       coalesce(has_schema_privilege(n.oid, 'USAGE'), true) AS open
  FROM pg_namespace n
  LEFT JOIN pg_description d ON d.objoid = n.oid AND d.classoid = 'pg_namespace'::regclass AND d.objsubid = 0
 WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
 ORDER BY n.oid;

-- relations: the next tables and views; sizes as of the last vacuum or analyze, since measuring would wait for locks
SELECT c.oid::bigint AS oid, c.relnamespace::bigint AS schema_oid, c.relname AS name, c.relkind AS kind,
       pg_get_userbyid(c.relowner) AS owner, c.relispartition AS is_partition, c.relpersistence = 'u' AS is_unlogged,
       c.relrowsecurity AS has_policies, c.reltuples::float8 AS rows,
       (c.relpages + coalesce(t.relpages, 0) + coalesce(x.pages, 0))::bigint * current_setting('block_size')::bigint AS bytes,
       left(d.description, 2000) AS comment
  FROM pg_class c
  LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
  LEFT JOIN LATERAL (
    SELECT sum(i.relpages) AS pages FROM pg_index p JOIN pg_class i ON i.oid = p.indexrelid WHERE p.indrelid = c.oid
  ) x ON true
  LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
 WHERE c.oid > %(after)s::bigint::oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
   AND c.relnamespace = ANY (%(schemas)s::bigint[]::oid[]) AND (%(partitions)s OR NOT c.relispartition)
 ORDER BY c.oid
 LIMIT %(limit)s;

-- columns: of some tables, in their order
SELECT a.attrelid::bigint AS relation, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       a.attnotnull AS required, a.atthasdef AND a.attgenerated = '' AS has_default, a.attidentity <> '' AS is_identity,
       a.attgenerated <> '' AS is_generated, left(d.description, 500) AS comment
  FROM pg_attribute a
  LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
 WHERE a.attrelid = ANY (%(relations)s::bigint[]::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attrelid, a.attnum;

-- keys: primary, unique and foreign ones; those that the server made for the partitions of the other side are left out
SELECT c.conrelid::bigint AS relation, c.contype AS kind, n.nspname AS target_schema, t.relname AS target,
       ARRAY(SELECT a.attname FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
               JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number ORDER BY k.place) AS columns,
       ARRAY(SELECT a.attname FROM unnest(c.confkey) WITH ORDINALITY AS k (number, place)
               JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number ORDER BY k.place) AS target_columns
  FROM pg_constraint c
  LEFT JOIN pg_class t ON t.oid = c.confrelid
  LEFT JOIN pg_namespace n ON n.oid = t.relnamespace
 WHERE c.conrelid = ANY (%(relations)s::bigint[]::oid[]) AND c.contype IN ('p', 'u', 'f')
   AND NOT EXISTS (SELECT FROM pg_constraint p WHERE p.oid = c.conparentid AND p.conrelid = c.conrelid)
 ORDER BY c.conrelid, c.conname COLLATE "C";

-- lineage: what views read, as the server itself keeps it so that nothing below a view can be dropped
SELECT DISTINCT r.ev_class::bigint AS relation, n.nspname AS target_schema, t.relname AS target
  FROM pg_rewrite r
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class t ON t.oid = d.refobjid AND t.oid <> r.ev_class
  JOIN pg_namespace n ON n.oid = t.relnamespace
 WHERE r.ev_class = ANY (%(relations)s::bigint[]::oid[]) AND r.rulename = '_RETURN'
   AND t.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
 ORDER BY 1, 2, 3;

-- ancestors: of which tables some are partitions or heirs
SELECT i.inhrelid::bigint AS relation, n.nspname AS target_schema, t.relname AS target, c.relispartition AS is_partition
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class t ON t.oid = i.inhparent
  JOIN pg_namespace n ON n.oid = t.relnamespace
 WHERE i.inhrelid = ANY (%(relations)s::bigint[]::oid[])
 ORDER BY i.inhrelid, i.inhseqno;

-- shown_table: a table whose rows can be shown without running anybody's code: no view, no policies, nothing that is elsewhere
SELECT c.oid::bigint AS oid, c.reltuples::float8 AS rows
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = %(schema)s AND c.relname = %(name)s AND c.relkind IN ('r', 'm') AND NOT c.relrowsecurity
   AND c.relpersistence <> 't' AND has_schema_privilege(n.oid, 'USAGE');

-- shown_columns: those that we may read and whose type is the server's own, since others may have conversions of somebody's
SELECT a.attname AS name, a.atttypid = 'bytea'::regtype AS is_bytes
  FROM pg_attribute a
 WHERE a.attrelid = %(table)s::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated <> 'v'
   AND a.atttypid < 16384 AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
 ORDER BY a.attnum
 LIMIT %(limit)s;

-- shown_text: a value's beginning
left({column}::text, {longest}) AS {column}

-- shown_bytes: of bytes only how many
concat(octet_length({column}), ' bytes') AS {column}

-- shown_rows: the first rows of a small table, without its heirs
SELECT {columns} FROM ONLY {table} LIMIT {limit};

-- shown_sample: some rows of a large table, the same each time
SELECT {columns} FROM ONLY {table} TABLESAMPLE SYSTEM ({percent}) REPEATABLE (0) LIMIT {limit};
