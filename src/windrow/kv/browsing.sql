-- listed: a stretch of the key order; a large value is not read, nor is one that nobody is shown
SELECT key AS path, version, purpose, producer, last_writer, updated_at, expires_at, pg_column_size(value) AS bytes,
       CASE WHEN purpose <> ALL (%(hidden)s) AND pg_column_size(value) <= %(small)s THEN value END AS small
  FROM kv
 WHERE tenant_id = current_tenant() AND key >= %(begin)s AND key < %(end)s AND key > %(after)s AND kv_live(value_hash, expires_at)
 ORDER BY key LIMIT %(limit)s;

-- folders: one step of the index for each name below the prefix, whatever is in it; then a few entries of each are counted
WITH RECURSIVE walk AS (
  (SELECT key FROM kv WHERE tenant_id = current_tenant() AND key >= %(begin)s AND key < %(end)s ORDER BY key LIMIT 1)
  UNION ALL
  SELECT (SELECT kv.key FROM kv
           WHERE kv.tenant_id = current_tenant() AND kv.key < %(end)s
             AND kv.key > CASE WHEN strpos(substr(walk.key, length(%(begin)s) + 1), '/') > 0
                               THEN %(begin)s || split_part(substr(walk.key, length(%(begin)s) + 1), '/', 1) || '/' || %(above)s
                               ELSE walk.key END
           ORDER BY kv.key LIMIT 1)
    FROM walk WHERE walk.key IS NOT NULL
), steps AS (
  SELECT substr(key, length(%(begin)s) + 1) AS rest FROM walk WHERE key IS NOT NULL LIMIT %(steps)s
), names AS (
  SELECT split_part(rest, '/', 1) || '/' AS name FROM steps WHERE strpos(rest, '/') > 0 LIMIT %(limit)s
)
SELECT names.name,
       (SELECT count(*) FILTER (WHERE kv_live(a_few.value_hash, a_few.expires_at))
          FROM (SELECT kv.value_hash, kv.expires_at FROM kv
                 WHERE kv.tenant_id = current_tenant() AND kv.key >= %(begin)s || names.name
                   AND kv.key < %(begin)s || names.name || %(above)s
                 ORDER BY kv.key LIMIT %(most)s) AS a_few) AS entries
  FROM names ORDER BY names.name;
