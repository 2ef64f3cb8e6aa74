-- next_tenant: who has waited longest; what somebody is at work on is passed over, and what just failed
SELECT tenant_id FROM search_backlog WHERE tenant_id <> ALL (%(failed)s::text[]) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;

-- index: a portion of the tenant's backlog, as the items are now; how many items
WITH portion AS MATERIALIZED (
  SELECT id FROM search_backlog
   WHERE tenant_id = current_tenant() AND (%(newest)s::bigint IS NULL OR id <= %(newest)s)
   ORDER BY id LIMIT %(rows)s FOR UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM search_backlog b USING portion p WHERE b.tenant_id = current_tenant() AND b.id = p.id RETURNING b.item_ids
), waiting AS MATERIALIZED (
  SELECT DISTINCT unnest(item_ids) AS item_id FROM taken
), indexed AS (
  INSERT INTO search_words AS w (tenant_id, item_id, revision, words)
  SELECT i.tenant_id, i.item_id, i.revision, item_words(
           i.tenant_id, i.project_id, i.item_id, i.endpoint_id, i.deleted, i.entity_type, i.external_id, i.display_name,
           i.canonical_path, i.owners, i.labels)
    FROM waiting JOIN items i ON i.tenant_id = current_tenant() AND i.item_id = waiting.item_id
   ORDER BY i.item_id -- so that two who index the same items do not lock one another out
  ON CONFLICT (tenant_id, item_id) DO UPDATE SET revision = excluded.revision, words = excluded.words
   WHERE w.revision <= excluded.revision
)
SELECT count(*) FROM waiting;

-- newest: where the tenant's backlog ends now
SELECT max(id) FROM search_backlog WHERE tenant_id = current_tenant();

-- wait: until whoever has these in hand is done with them; one that was given up, if any
SELECT id FROM search_backlog WHERE tenant_id = current_tenant() AND id <= %(newest)s ORDER BY id LIMIT 1 FOR UPDATE;

-- behind_everywhere: as the system
SELECT coalesce(sum(cardinality(item_ids)), 0)::bigint FROM search_backlog;

-- tidy: sort what was written last into the index; how many pages that was
SELECT tidy_search() AS pages;
