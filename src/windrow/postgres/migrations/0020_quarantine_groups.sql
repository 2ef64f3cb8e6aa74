-- What the pages of quarantine and audit look up: records that were refused for the same reasons, and the trail by who and what.

-- The short name of what is wrong with a record: equal where only values, numbers and places in lists differ.
CREATE FUNCTION refusal_shape(reasons jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT left(md5(coalesce(string_agg(DISTINCT shape, E'\n' ORDER BY shape), '')), 12)
    FROM (SELECT concat_ws(' ', reason ->> 'why',
                           regexp_replace(reason ->> 'path', '/[0-9]+(?=/|$)', '/*', 'g'),
                           regexp_replace(reason ->> 'message', '''[^'']*''|"[^"]*"|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*', '*', 'g')
                          ) COLLATE "C" AS shape
            FROM jsonb_path_query(reasons, '$[*]') AS reason) AS told
);

ALTER TABLE quarantine ADD COLUMN shape text COLLATE "C" NOT NULL GENERATED ALWAYS AS (refusal_shape(reasons)) STORED;
COMMENT ON COLUMN quarantine.shape IS 'Equal for records that were refused for the same reasons, whatever their values: by this people deal with many at once.';
CREATE INDEX quarantine_shapes ON quarantine (tenant_id, project_id, state, shape, last_at DESC, endpoint_id, id);
CREATE INDEX quarantine_latest ON quarantine (tenant_id, project_id, state, last_at DESC, endpoint_id, id);

-- The trail is never shortened: whoever looks for what one person did, or for one kind of act, must not read all of it. In the
-- collation of bytes, an index also serves whoever looks for subjects by how they begin.
ALTER TABLE audit_log ALTER COLUMN subject TYPE text COLLATE "C";
CREATE INDEX audit_log_actor ON audit_log (tenant_id, actor, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, action, id);
CREATE INDEX audit_log_at ON audit_log (tenant_id, at);
