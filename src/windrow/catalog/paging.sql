-- page: in the order of the ids, which are hashes: whatever is filtered for is spread evenly, and found soon
SELECT item_id, endpoint_id, entity_type, external_id, display_name, canonical_path, url, owners, labels, deleted,
       source_updated_at, revision, first_seen_at, changed_at
  FROM items
 WHERE project_id = %(project)s AND deleted = %(deleted)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(entity_type)s::text IS NULL OR entity_type = %(entity_type)s)
   AND (%(label)s::text IS NULL OR %(label)s = ANY (labels))
   AND (%(owner)s::text IS NULL OR %(owner)s = ANY (owners))
   AND item_id > %(after)s AND item_id <= %(until)s
 ORDER BY item_id
 LIMIT %(limit)s;

-- furthest: up to where one page looks, however seldom what is filtered for may be
SELECT item_id FROM items WHERE item_id > %(after)s ORDER BY item_id OFFSET %(furthest)s LIMIT 1;

-- among: the same, of those with these ids
SELECT item_id, endpoint_id, entity_type, external_id, display_name, canonical_path, url, owners, labels, deleted,
       source_updated_at, revision, first_seen_at, changed_at
  FROM (SELECT unnest(%(ids)s::uuid[]) AS item_id) AS named JOIN items USING (item_id)
 WHERE project_id = %(project)s AND deleted = %(deleted)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(entity_type)s::text IS NULL OR entity_type = %(entity_type)s)
   AND (%(label)s::text IS NULL OR %(label)s = ANY (labels))
   AND (%(owner)s::text IS NULL OR %(owner)s = ANY (owners))
 ORDER BY item_id
 LIMIT %(limit)s;
