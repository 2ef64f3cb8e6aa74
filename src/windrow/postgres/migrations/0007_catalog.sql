-- The catalog: items, their history, their relations, and the listings by which one learns what is gone.

CREATE TABLE items (
  tenant_id         text        NOT NULL,
  item_id           uuid        NOT NULL,
  project_id        text        NOT NULL,
  endpoint_id       text        NOT NULL,
  source_system     text        NOT NULL,
  entity_type       text        NOT NULL,
  external_id       text        NOT NULL,
  display_name      text        NOT NULL,
  canonical_path    text,
  url               text,
  owners            text[]      NOT NULL,
  labels            text[]      NOT NULL,
  source_version    text,
  source_created_at timestamptz,
  source_updated_at timestamptz,
  deleted           boolean     NOT NULL,
  attributes        jsonb       NOT NULL,
  content_hash      text        NOT NULL,
  observation       bigint      NOT NULL,
  run_id            text        NOT NULL,
  fetched_at        timestamptz NOT NULL,
  connector         text        NOT NULL,
  connector_version text        NOT NULL,
  spec_ref          text        NOT NULL,
  revision          integer     NOT NULL DEFAULT 1,
  first_run_id      text        NOT NULL,
  first_seen_at     timestamptz NOT NULL,
  changed_at        timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, item_id)
);
COMMENT ON TABLE items IS 'What the sources hold, as they said it last. An item that is gone stays as a tombstone, so that older news cannot bring it back.';
COMMENT ON COLUMN items.observation IS 'Which request learnt this; news that was asked for earlier changes nothing.';
COMMENT ON COLUMN items.content_hash IS 'Of what the source says; news with the same hash writes nothing.';
CREATE INDEX items_of_endpoint ON items (tenant_id, project_id, endpoint_id, entity_type, item_id);
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
ALTER TABLE items FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON items TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON items TO windrow_app;

CREATE TABLE item_history (
  tenant_id  text        NOT NULL,
  item_id    uuid        NOT NULL,
  revision   integer     NOT NULL,
  was        jsonb       NOT NULL,
  run_id     text        NOT NULL,
  observation bigint     NOT NULL,
  fetched_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  ended_at   timestamptz NOT NULL,
  ended_by   text        NOT NULL,
  PRIMARY KEY (tenant_id, item_id, revision)
);
COMMENT ON TABLE item_history IS 'Every revision of an item but the present one: what it was, from which run, until which run replaced it. What changed is the difference of two neighbours.';
CREATE INDEX item_history_recent ON item_history (tenant_id, ended_at);
ALTER TABLE item_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE item_history FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON item_history TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT ON item_history TO windrow_app;

-- Whoever changes an item leaves its history: by trigger, because only there is the row that was really replaced, also
-- when another lane changed it a moment ago. Once for a statement, not for each row.
CREATE FUNCTION keep_item_history() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO item_history (tenant_id, item_id, revision, was, run_id, observation, fetched_at, seen_at, ended_at, ended_by)
  SELECT b.tenant_id, b.item_id, b.revision,
         jsonb_strip_nulls(jsonb_build_object(
           'entity_type', b.entity_type, 'display_name', b.display_name, 'canonical_path', b.canonical_path, 'url', b.url,
           'owners', b.owners, 'labels', b.labels, 'source_version', b.source_version,
           'source_created_at', b.source_created_at, 'source_updated_at', b.source_updated_at, 'deleted', b.deleted))
           || jsonb_build_object('attributes', b.attributes),
         b.run_id, b.observation, b.fetched_at, b.changed_at, a.changed_at, a.run_id
    FROM replaced b JOIN replacing a USING (tenant_id, item_id)
   WHERE a.content_hash <> b.content_hash;
  RETURN NULL;
END $$;
CREATE TRIGGER history AFTER UPDATE ON items REFERENCING OLD TABLE AS replaced NEW TABLE AS replacing
  FOR EACH STATEMENT EXECUTE FUNCTION keep_item_history();

CREATE TABLE item_relations (
  tenant_id          text NOT NULL,
  item_id            uuid NOT NULL,
  type               text NOT NULL,
  target_id          uuid NOT NULL,
  target_external_id text NOT NULL,
  PRIMARY KEY (tenant_id, item_id, type, target_id)
);
COMMENT ON TABLE item_relations IS 'What an item has to do with others of its endpoint. The target may not have been harvested yet.';
CREATE INDEX item_relations_target ON item_relations (tenant_id, target_id, type);
ALTER TABLE item_relations ENABLE ROW LEVEL SECURITY;
ALTER TABLE item_relations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON item_relations TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON item_relations TO windrow_app;

CREATE TABLE listings (
  tenant_id         text        NOT NULL,
  project_id        text        NOT NULL,
  endpoint_id       text        NOT NULL,
  generation        bigint      NOT NULL,
  lane              text        NOT NULL,
  run_id            text        NOT NULL,
  filters           text        NOT NULL,
  filters_since     bigint      NOT NULL,
  last_seq          bigint      NOT NULL,
  state             text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'whole', 'applied', 'held', 'abandoned')),
  items             bigint      NOT NULL DEFAULT 0,
  missing           bigint,
  known             bigint,
  why               text,
  begun_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at          timestamptz,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, generation)
);
COMMENT ON TABLE listings IS 'One pass over all that an endpoint holds. Only a whole one, with unchanged filters, may say that something is gone.';
COMMENT ON COLUMN listings.generation IS 'The observation of its first request.';
COMMENT ON COLUMN listings.filters_since IS 'The first listing of the endpoint with these filters: what was written before it may have been shown by others.';
COMMENT ON COLUMN listings.state IS 'open: under way; whole: complete, not applied yet; applied: what was gone is deleted; held: too much would go, an operator decides; abandoned: partial, or its filters changed.';
ALTER TABLE listings ENABLE ROW LEVEL SECURITY;
ALTER TABLE listings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON listings TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON listings TO windrow_app;

CREATE TABLE listing_pages (
  tenant_id   text   NOT NULL,
  project_id  text   NOT NULL,
  endpoint_id text   NOT NULL,
  generation  bigint NOT NULL,
  seq         bigint NOT NULL,
  item_ids    uuid[] NOT NULL,
  PRIMARY KEY (tenant_id, project_id, endpoint_id, generation, seq)
);
ALTER TABLE listing_pages ALTER COLUMN item_ids SET STORAGE EXTERNAL;
COMMENT ON TABLE listing_pages IS 'Which items a listing has seen, a page a row.';
ALTER TABLE listing_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE listing_pages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON listing_pages TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON listing_pages TO windrow_app;

-- One batch of one endpoint: what is new or newer is written, the rest is counted.
--
--   unchanged   the catalog says the same: nothing is written, unless `in_raise` asks to note that it was asked for later
--               (another lane may still bring something older: docs/explanation/protocol.md)
--   outdated    the catalog has learnt something else later, through another lane
--
-- The pages of one snapshot have one observation: of an item that is on two of them the last word counts, as within a lane.
--
-- Tombstones are a statement of their own: they leave what is known of the item as it is. Rows are written in the order of
-- their ids, so that two lanes of an endpoint do not lock one another out.
CREATE FUNCTION apply_items(
  in_items jsonb, in_project text, in_endpoint text, in_source text, in_observation bigint, in_run text, in_fetched timestamptz,
  in_connector text, in_connector_version text, in_spec text, in_relations integer, in_tombstones integer, in_raise boolean,
  OUT created integer, OUT updated integer, OUT deleted integer, OUT unchanged integer, OUT outdated integer,
  OUT created_ids uuid[], OUT updated_ids uuid[], OUT deleted_ids uuid[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment  timestamptz := clock_timestamp();
  total   integer := jsonb_array_length(in_items);
  same    integer;
BEGIN
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
     WHERE r.deleted IS NOT TRUE
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

-- The items that a whole listing says are gone: not in it, not seen since it began, and shown by the same filters before.
CREATE FUNCTION missing_items(in_project text, in_endpoint text, in_generation bigint, in_since bigint)
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
     AND NOT i.deleted AND i.observation < in_generation
     AND NOT EXISTS (SELECT FROM seen WHERE seen.id = i.item_id)
     AND (i.observation >= in_since OR EXISTS (SELECT FROM shown_before WHERE shown_before.id = i.item_id));
END;
