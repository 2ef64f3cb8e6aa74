-- outgoing: what an item names, with what the catalog knows about it
SELECT r.type, r.target_external_id AS external_id, r.target_id AS item_id, i.entity_type, i.display_name, i.deleted
  FROM (SELECT o.type, o.target_external_id, o.target_id FROM item_relations o
         WHERE o.tenant_id = current_tenant() AND o.item_id = %(item_id)s
         ORDER BY o.type, o.target_external_id LIMIT %(limit)s) AS r
  LEFT JOIN items i ON i.item_id = r.target_id
 ORDER BY r.type, r.target_external_id;

-- incoming: which items name it. Of a hundred thousand the first as they stand in the index: to put all in order would take
-- longer than all else
SELECT r.type, i.external_id, r.item_id, i.entity_type, i.display_name, i.deleted
  FROM (SELECT o.type, o.item_id FROM item_relations o
         WHERE o.tenant_id = current_tenant() AND o.target_id = %(item_id)s ORDER BY o.type LIMIT %(limit)s) AS r
  JOIN items i ON i.item_id = r.item_id
 ORDER BY r.type, r.item_id;

-- around: some of each type, both ways, and how many there are, counted up to a bound: an item may be named by a hundred
-- thousand. From type to type by the index, and of each the first that stand there
WITH RECURSIVE named AS (
  (SELECT r.type FROM item_relations r WHERE r.tenant_id = current_tenant() AND r.item_id = %(item_id)s ORDER BY r.type LIMIT 1)
  UNION ALL
  SELECT further.type FROM named n CROSS JOIN LATERAL (
    SELECT r.type FROM item_relations r WHERE r.tenant_id = current_tenant() AND r.item_id = %(item_id)s AND r.type > n.type
     ORDER BY r.type LIMIT 1) AS further
), naming AS (
  (SELECT r.type FROM item_relations r WHERE r.tenant_id = current_tenant() AND r.target_id = %(item_id)s ORDER BY r.type LIMIT 1)
  UNION ALL
  SELECT further.type FROM naming n CROSS JOIN LATERAL (
    SELECT r.type FROM item_relations r WHERE r.tenant_id = current_tenant() AND r.target_id = %(item_id)s AND r.type > n.type
     ORDER BY r.type LIMIT 1) AS further
), other AS (
  SELECT true AS outgoing, n.type, r.target_id AS item_id, r.target_external_id AS named_as, n.count
    FROM (SELECT type, (SELECT count(*) FROM (
                          SELECT FROM item_relations c WHERE c.tenant_id = current_tenant() AND c.item_id = %(item_id)s
                             AND c.type = named.type LIMIT %(most)s) AS c) AS count
            FROM named LIMIT %(types)s) AS n CROSS JOIN LATERAL (
      SELECT r.target_id, r.target_external_id FROM item_relations r
       WHERE r.tenant_id = current_tenant() AND r.item_id = %(item_id)s AND r.type = n.type
       LIMIT %(each)s) AS r
  UNION ALL
  SELECT false, n.type, r.item_id, NULL, n.count
    FROM (SELECT type, (SELECT count(*) FROM (
                          SELECT FROM item_relations c WHERE c.tenant_id = current_tenant() AND c.target_id = %(item_id)s
                             AND c.type = naming.type LIMIT %(most)s) AS c) AS count
            FROM naming LIMIT %(types)s) AS n CROSS JOIN LATERAL (
      SELECT r.item_id FROM item_relations r
       WHERE r.tenant_id = current_tenant() AND r.target_id = %(item_id)s AND r.type = n.type
       LIMIT %(each)s) AS r
)
SELECT o.outgoing, o.type, o.count, o.item_id, coalesce(i.external_id, o.named_as) AS external_id, i.entity_type, i.display_name, i.deleted
  FROM other o LEFT JOIN items i ON i.tenant_id = current_tenant() AND i.item_id = o.item_id
 ORDER BY o.outgoing DESC, o.type, i.display_name, o.item_id;
