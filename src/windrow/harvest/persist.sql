-- apply: the payload goes from the outbox into the catalog without leaving the database, unless it had to be unpacked
SELECT a.created, a.updated, a.deleted, a.unchanged, a.outdated,
       a.created_ids::text[] AS created_ids, a.updated_ids::text[] AS updated_ids, a.deleted_ids::text[] AS deleted_ids
  FROM harvest_outbox o
 CROSS JOIN LATERAL apply_items(
         convert_from(coalesce(%(unpacked)b::bytea, o.payload), 'UTF8')::jsonb, o.project_id, o.endpoint_id, o.source_system,
         o.observation, o.run_id, o.fetched_at, o.connector, o.connector_version, o.spec_ref, o.relations, o.tombstones,
         %(note_unchanged)s, %(later)s) AS a
 WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s AND o.lane = %(lane)s AND o.seq = %(seq)s;
