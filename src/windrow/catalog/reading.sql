-- summaries: those with these ids, in the order of the ids
SELECT item_id, endpoint_id, entity_type, external_id, display_name, canonical_path, url, owners, labels, deleted,
       source_updated_at, revision, first_seen_at, changed_at
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (item_id, n) JOIN items USING (item_id)
 ORDER BY n;

-- between: ids that begin alike; two tell already that the beginning is not enough
SELECT item_id, display_name FROM items
 WHERE project_id = %(project)s AND item_id BETWEEN %(first)s AND %(last)s ORDER BY item_id LIMIT 4;

-- there: whether an item is one of the project
SELECT item_id FROM items WHERE project_id = %(project)s AND item_id = %(item_id)s;

-- item: all that is known about one
SELECT i.*, ARRAY(
         SELECT jsonb_build_array(r.type, r.target_external_id) FROM item_relations r
          WHERE r.item_id = i.item_id ORDER BY r.type, r.target_external_id) AS relations
  FROM items i WHERE i.project_id = %(project)s AND i.item_id = %(item_id)s;

-- count: by endpoint and type; from the index alone, which takes a tenth of a second for a million
SELECT endpoint_id, entity_type, count(*) AS items FROM items
 WHERE project_id = %(project)s AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
 GROUP BY endpoint_id, entity_type ORDER BY endpoint_id, entity_type;

-- count_gone: the tombstones among them
SELECT endpoint_id, entity_type, count(*) AS items FROM items
 WHERE project_id = %(project)s AND deleted AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
 GROUP BY endpoint_id, entity_type;
