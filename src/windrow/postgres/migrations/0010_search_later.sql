-- The words leave the items' table: they cost more to write than the item itself (docs/decisions/0014-words-come-later.md).
-- What was written waits in a backlog, in the same transaction, until its words are indexed.

CREATE TABLE search_backlog (
  tenant_id text   NOT NULL,
  id        bigint GENERATED ALWAYS AS IDENTITY,
  item_ids  uuid[] NOT NULL,
  PRIMARY KEY (tenant_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000); -- a queue: most of its rows are dead ones
COMMENT ON TABLE search_backlog IS 'Items that were written since their words were indexed, at most 100 a row. Whoever indexes them deletes it.';
CREATE INDEX search_backlog_oldest ON search_backlog (id);
ALTER TABLE search_backlog ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_backlog FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON search_backlog TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON search_backlog TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON search_backlog TO windrow_app;
GRANT SELECT, UPDATE ON search_backlog TO windrow_system;

CREATE TABLE search_words (
  tenant_id text     NOT NULL,
  item_id   uuid     NOT NULL,
  revision  integer  NOT NULL,
  words     tsvector NOT NULL,
  PRIMARY KEY (tenant_id, item_id)
);
COMMENT ON TABLE search_words IS 'The words that an item is found by (item_words), as of one of its revisions.';
ALTER TABLE search_words ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_words FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON search_words TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON search_words TO windrow_app;
CREATE INDEX search_words_index ON search_words USING gin (words) WITH (fastupdate = on, gin_pending_list_limit = 16384);

-- By trigger, because whoever writes items, in whatever way, must not forget it. Once for a statement, in rows of 100: so
-- many stay in their page, and a listing that buries 100,000 is indexed in portions like everything else.
CREATE FUNCTION await_words() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_backlog (tenant_id, item_ids)
  SELECT tenant_id, ids[n:n + 99]
    FROM (SELECT tenant_id, array_agg(item_id) AS ids FROM written GROUP BY tenant_id) AS w,
         generate_series(1, cardinality(ids), 100) AS n;
  RETURN NULL;
END $$;
CREATE TRIGGER words_of_new AFTER INSERT ON items REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION await_words();

-- What only changed in other fields is found by the same words. (A session keeps the plan that it made for its first
-- statement: nested loops, which are best for one item, would compare each of 4000 with all the others for ten seconds.)
CREATE FUNCTION await_other_words() RETURNS trigger
LANGUAGE plpgsql
SET enable_nestloop = off
AS $$
BEGIN
  INSERT INTO search_backlog (tenant_id, item_ids)
  SELECT tenant_id, ids[n:n + 99]
    FROM (SELECT a.tenant_id, array_agg(a.item_id) AS ids
            FROM replaced b JOIN replacing a USING (tenant_id, item_id)
           WHERE (a.deleted, a.entity_type, a.display_name, a.canonical_path, a.owners, a.labels)
                 IS DISTINCT FROM (b.deleted, b.entity_type, b.display_name, b.canonical_path, b.owners, b.labels)
           GROUP BY a.tenant_id) AS w,
         generate_series(1, cardinality(ids), 100) AS n;
  RETURN NULL;
END $$;
CREATE TRIGGER words_of_changed AFTER UPDATE ON items REFERENCING OLD TABLE AS replaced NEW TABLE AS replacing
  FOR EACH STATEMENT EXECUTE FUNCTION await_other_words();
ALTER FUNCTION keep_item_history() SET enable_nestloop = off; -- for the same reason

-- What is here already is indexed like everything else. (The owner sees the rows only while they are not guarded from it.)
ALTER TABLE items NO FORCE ROW LEVEL SECURITY;
ALTER TABLE search_backlog NO FORCE ROW LEVEL SECURITY;
INSERT INTO search_backlog (tenant_id, item_ids)
SELECT tenant_id, array_agg(item_id)
  FROM (SELECT tenant_id, item_id, (row_number() OVER (PARTITION BY tenant_id) - 1) / 100 AS portion FROM items) AS there
 GROUP BY tenant_id, portion;
ALTER TABLE items FORCE ROW LEVEL SECURITY;
ALTER TABLE search_backlog FORCE ROW LEVEL SECURITY;

DROP FUNCTION search_lots;
DROP FUNCTION tidy_search;
DROP POLICY searched ON items;
DROP INDEX items_words;

-- As before (0008), the search is part of the policy: the owner, as whom `search_lots` runs, sees the words of the
-- session's tenant that are being looked for, and otherwise none.
CREATE POLICY searched ON search_words FOR SELECT TO CURRENT_USER
  USING (tenant_id IS NOT DISTINCT FROM current_tenant() AND words @@ searched());

-- The ids of the session's tenant in some lots that answer a query, in which `~` stands for the words' owner: one lot after
-- the other until there are enough, at most so many. All lots in one call, because each call costs more than a small lot.
CREATE FUNCTION search_lots(project text, gone boolean, lots integer[], query text, enough integer, most integer)
RETURNS TABLE (lot integer, item_id uuid)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = windrow, pg_temp
SET enable_seqscan = off
SET enable_indexscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  owner CONSTANT text := words_owner(current_tenant(), project, gone);
  given integer;
BEGIN
  FOREACH lot IN ARRAY lots LOOP
    PERFORM set_config('windrow.searched', replace(query, '~', owner || lot), true);
    IF row_security_active('search_words') THEN
      RETURN QUERY SELECT search_lots.lot, w.item_id FROM search_words w LIMIT most; -- the policy chooses
    ELSE -- an owner who is a superuser is above all policies
      RETURN QUERY SELECT search_lots.lot, w.item_id FROM search_words w
        WHERE w.tenant_id IS NOT DISTINCT FROM current_tenant() AND w.words @@ searched() LIMIT most;
    END IF;
    GET DIAGNOSTICS given = ROW_COUNT;
    most := most - given;
    enough := enough - given;
    EXIT WHEN enough <= 0 OR most <= 0;
  END LOOP;
  PERFORM set_config('windrow.searched', '', true);
END $$;
REVOKE EXECUTE ON FUNCTION search_lots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_lots TO windrow_app;

-- Sort the words that were written last into the index; the pages that they took.
CREATE FUNCTION tidy_search() RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = windrow, pg_temp
AS $$ SELECT gin_clean_pending_list('windrow.search_words_index') $$;
REVOKE EXECUTE ON FUNCTION tidy_search FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tidy_search TO windrow_app, windrow_system;

-- Without the ids, which are hashes: entries with the same key are stored together, and a new one is appended. With them
-- every item went to a place of its own, for a third of what it cost to write it.
DROP INDEX items_of_endpoint;
DROP INDEX items_gone;
CREATE INDEX items_of_endpoint ON items (tenant_id, project_id, endpoint_id, entity_type);
CREATE INDEX items_gone ON items (tenant_id, project_id, endpoint_id, entity_type) WHERE deleted;
