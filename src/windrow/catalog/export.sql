-- moment: what was committed before it is in the part that is read next
SELECT clock_timestamp();

-- part: in the order of the ids, which never change: an item that does is in one part all the same. Read through a cursor,
-- whose snapshot is that of its opening, so the items of a part and their relations are of one moment
SELECT i.*, ARRAY(
         SELECT jsonb_build_array(r.type, r.target_external_id) FROM item_relations r
          WHERE r.item_id = i.item_id ORDER BY r.type, r.target_external_id) AS relations
  FROM items i
 WHERE i.project_id = %(project)s AND i.deleted = %(deleted)s
   AND (%(endpoint)s::text IS NULL OR i.endpoint_id = %(endpoint)s)
   AND (%(entity_type)s::text IS NULL OR i.entity_type = %(entity_type)s)
   AND (%(label)s::text IS NULL OR %(label)s = ANY (i.labels))
   AND (%(owner)s::text IS NULL OR %(owner)s = ANY (i.owners))
   AND i.item_id > %(after)s
 ORDER BY i.item_id
 LIMIT %(limit)s;
