-- Older news: what another lane asks for counts as older than what an outranking one is asking for at that moment, and
-- what was asked for before a listing cannot bring back what that listing lacked (docs/explanation/protocol.md).

-- Every other number stays free: just above what a lane has published, and below whatever it asks for next.
ALTER SEQUENCE observation_seq INCREMENT BY 2;

-- A number for a request that is about to be sent, and what anybody who asks from now on through another lane has at least.
--
-- In this order: the own floor first, which only rises; then the number; then the floors of the lanes above, with a look of
-- its own. A lane above that is not seen here has not begun, and draws all its numbers after this one.
CREATE FUNCTION observe(
  in_tenant text, in_project text, in_endpoint text, in_lane text, in_above text[], OUT observation bigint, OUT horizon bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  own    bigint;
  drawn  bigint;
  yields bigint;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.floor INTO own FROM harvest_lanes l
   WHERE l.tenant_id = current_tenant() AND l.project_id = in_project AND l.endpoint_id = in_endpoint AND l.lane = in_lane;
  drawn := nextval('observation_seq');
  IF cardinality(in_above) > 0 THEN
    SELECT min(l.floor) + 1 INTO yields FROM harvest_lanes l
     WHERE l.tenant_id = current_tenant() AND l.project_id = in_project AND l.endpoint_id = in_endpoint AND l.lane = ANY (in_above);
  END IF;
  observation := greatest(own, least(drawn, yields)); -- NULLs do not count
  horizon := least(own + 1, observation);
END $$;

ALTER TABLE listings ADD COLUMN horizon bigint;
ALTER TABLE listings NO FORCE ROW LEVEL SECURITY; -- the owner sees the rows of all tenants for one statement
UPDATE listings SET horizon = generation;
ALTER TABLE listings FORCE ROW LEVEL SECURITY;
ALTER TABLE listings ALTER COLUMN horizon SET NOT NULL;
COMMENT ON COLUMN listings.horizon IS 'What was asked for since it began, through any lane, has at least this observation.';

-- The items that a whole listing says are gone: not in it, not seen since it began, and shown by the same filters before.
CREATE OR REPLACE FUNCTION missing_items(in_project text, in_endpoint text, in_generation bigint, in_since bigint)
RETURNS SETOF uuid
LANGUAGE sql STABLE
BEGIN ATOMIC
  WITH seen AS (
    SELECT DISTINCT id FROM listing_pages p, unnest(p.item_ids) AS id
     WHERE p.tenant_id = current_tenant() AND p.project_id = in_project AND p.endpoint_id = in_endpoint AND p.generation = in_generation
  ), shown_before AS (
    SELECT DISTINCT id FROM listing_pages p, unnest(p.item_ids) AS id
     WHERE p.tenant_id = current_tenant() AND p.project_id = in_project AND p.endpoint_id = in_endpoint
       AND p.generation >= in_since AND p.generation < in_generation
  )
  SELECT i.item_id FROM items i
   WHERE i.tenant_id = current_tenant() AND i.project_id = in_project AND i.endpoint_id = in_endpoint
     AND NOT i.deleted
     AND i.observation < (SELECT l.horizon FROM listings l
                           WHERE l.tenant_id = current_tenant() AND l.project_id = in_project AND l.endpoint_id = in_endpoint
                             AND l.generation = in_generation)
     AND NOT EXISTS (SELECT FROM seen WHERE seen.id = i.item_id)
     AND (i.observation >= in_since OR EXISTS (SELECT FROM shown_before WHERE shown_before.id = i.item_id));
END;

DROP FUNCTION apply_items(jsonb, text, text, text, bigint, text, timestamptz, text, text, text, integer, integer, boolean);

-- One batch of one endpoint: what is new or newer is written, the rest is counted.
--
--   unchanged   the catalog says the same: nothing is written, unless `in_raise` asks to note that it was asked for later
--               (another lane may still bring something older: docs/explanation/protocol.md)
--   outdated    the catalog has learnt something else later, through another lane; or a later listing, `in_later`, lacked it.
--               Such an item is neither added nor brought back. If the catalog holds it, from before that listing's filters
--               were known, it is written as any other, and the next listing decides.
--
-- The pages of one snapshot have one observation: of an item that is on two of them the last word counts, as within a lane.
--
-- Tombstones are a statement of their own: they leave what is known of the item as it is. Rows are written in the order of
-- their ids, so that two lanes of an endpoint do not lock one another out.
CREATE FUNCTION apply_items(
  in_items jsonb, in_project text, in_endpoint text, in_source text, in_observation bigint, in_run text, in_fetched timestamptz,
  in_connector text, in_connector_version text, in_spec text, in_relations integer, in_tombstones integer, in_raise boolean,
  in_later bigint,
  OUT created integer, OUT updated integer, OUT deleted integer, OUT unchanged integer, OUT outdated integer,
  OUT created_ids uuid[], OUT updated_ids uuid[], OUT deleted_ids uuid[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment  timestamptz := clock_timestamp();
  total   integer := jsonb_array_length(in_items);
  same    integer;
  lacked  uuid[] := '{}';
BEGIN
  IF in_later IS NOT NULL THEN
    WITH listed AS (
      SELECT DISTINCT id FROM listing_pages p, unnest(p.item_ids) AS id
       WHERE p.tenant_id = current_tenant() AND p.project_id = in_project AND p.endpoint_id = in_endpoint AND p.generation = in_later
    )
    SELECT coalesce(array_agg(r.item_id), '{}') INTO lacked
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, deleted boolean)
     WHERE r.deleted IS NOT TRUE
       AND NOT EXISTS (SELECT FROM listed WHERE listed.id = r.item_id)
       AND NOT EXISTS (SELECT FROM items i WHERE i.tenant_id = current_tenant() AND i.item_id = r.item_id AND NOT i.deleted);
  END IF;

  WITH written AS (
    INSERT INTO items AS i (
      tenant_id, item_id, project_id, endpoint_id, source_system, entity_type, external_id, display_name, canonical_path, url,
      owners, labels, source_version, source_created_at, source_updated_at, deleted, attributes, content_hash, observation,
      run_id, fetched_at, connector, connector_version, spec_ref, first_run_id, first_seen_at, changed_at)
    SELECT current_tenant(), r.item_id, in_project, in_endpoint, in_source, r.entity_type, r.external_id, r.display_name,
           r.canonical_path, r.url, coalesce(r.owners, '{}'), coalesce(r.labels, '{}'), r.source_version, r.source_created_at,
           r.source_updated_at, false, coalesce(r.attributes, '{}'), r.content_hash, in_observation, in_run, in_fetched,
           in_connector, in_connector_version, in_spec, in_run, moment, moment
      FROM jsonb_to_recordset(in_items) AS r (
        item_id uuid, entity_type text, external_id text, display_name text, canonical_path text, url text, owners text[],
        labels text[], source_version text, source_created_at timestamptz, source_updated_at timestamptz, deleted boolean,
        attributes jsonb, content_hash text)
     WHERE r.deleted IS NOT TRUE AND r.item_id <> ALL (lacked)
     ORDER BY r.item_id
    ON CONFLICT (tenant_id, item_id) DO UPDATE
       SET source_system = excluded.source_system, entity_type = excluded.entity_type, display_name = excluded.display_name,
           canonical_path = excluded.canonical_path, url = excluded.url, owners = excluded.owners, labels = excluded.labels,
           source_version = excluded.source_version, source_created_at = excluded.source_created_at,
           source_updated_at = excluded.source_updated_at, deleted = false, attributes = excluded.attributes,
           content_hash = excluded.content_hash, observation = excluded.observation, run_id = excluded.run_id,
           fetched_at = excluded.fetched_at, connector = excluded.connector, connector_version = excluded.connector_version,
           spec_ref = excluded.spec_ref, changed_at = excluded.changed_at, revision = i.revision + 1
     WHERE i.content_hash <> excluded.content_hash AND i.observation <= excluded.observation
    RETURNING i.item_id, i.revision
  )
  SELECT coalesce(array_agg(w.item_id) FILTER (WHERE w.revision = 1), '{}'),
         coalesce(array_agg(w.item_id) FILTER (WHERE w.revision > 1), '{}'), '{}'
    INTO created_ids, updated_ids, deleted_ids
    FROM written w;

  IF in_tombstones > 0 THEN
    WITH gone AS (
      INSERT INTO items AS i (
        tenant_id, item_id, project_id, endpoint_id, source_system, entity_type, external_id, display_name, owners, labels,
        deleted, attributes, content_hash, observation, run_id, fetched_at, connector, connector_version, spec_ref,
        first_run_id, first_seen_at, changed_at)
      SELECT current_tenant(), r.item_id, in_project, in_endpoint, in_source, r.entity_type, r.external_id, r.display_name,
             '{}', '{}', true, '{}', r.content_hash, in_observation, in_run, in_fetched, in_connector, in_connector_version,
             in_spec, in_run, moment, moment
        FROM jsonb_to_recordset(in_items) AS r (
          item_id uuid, entity_type text, external_id text, display_name text, deleted boolean, content_hash text)
       WHERE r.deleted
       ORDER BY r.item_id
      ON CONFLICT (tenant_id, item_id) DO UPDATE
         SET deleted = true, content_hash = excluded.content_hash, observation = excluded.observation, run_id = excluded.run_id,
             fetched_at = excluded.fetched_at, changed_at = excluded.changed_at, revision = i.revision + 1
       WHERE i.content_hash <> excluded.content_hash AND i.observation <= excluded.observation
      RETURNING i.item_id
    )
    SELECT coalesce(array_agg(g.item_id), '{}') INTO deleted_ids FROM gone g;
  END IF;

  created := cardinality(created_ids);
  updated := cardinality(updated_ids);
  deleted := cardinality(deleted_ids);
  same := total;
  IF created + updated + deleted < total THEN
    IF in_raise THEN
      UPDATE items AS i SET observation = in_observation
        FROM (SELECT r.item_id, r.content_hash FROM jsonb_to_recordset(in_items) AS r (item_id uuid, content_hash text)
               ORDER BY r.item_id) AS r
       WHERE i.tenant_id = current_tenant() AND i.item_id = r.item_id AND i.content_hash = r.content_hash
         AND i.observation < in_observation;
    END IF;
    -- what was written says the same by now
    SELECT count(*) INTO same
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, content_hash text)
      JOIN items AS i ON i.tenant_id = current_tenant() AND i.item_id = r.item_id AND i.content_hash = r.content_hash;
  END IF;
  unchanged := same - created - updated - deleted;
  outdated := total - same;

  IF updated + deleted > 0 THEN
    DELETE FROM item_relations AS x WHERE x.tenant_id = current_tenant() AND x.item_id = ANY (updated_ids || deleted_ids);
  END IF;
  IF in_relations > 0 AND created + updated > 0 THEN
    INSERT INTO item_relations (tenant_id, item_id, type, target_id, target_external_id)
    SELECT current_tenant(), r.item_id, named.relation ->> 'type', (r.targets ->> (named.place::integer - 1))::uuid, named.relation ->> 'target'
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, relations jsonb, targets jsonb)
     CROSS JOIN LATERAL jsonb_array_elements(r.relations) WITH ORDINALITY AS named (relation, place)
     WHERE r.relations IS NOT NULL AND r.item_id = ANY (created_ids || updated_ids);
  END IF;
END $$;
