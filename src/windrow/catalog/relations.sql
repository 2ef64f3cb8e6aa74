-- outgoing: what an item names, with what the catalog knows about it
SELECT r.type, r.target_external_id AS external_id, r.target_id AS item_id, i.entity_type, i.display_name, i.deleted
  FROM item_relations r LEFT JOIN items i ON i.item_id = r.target_id
 WHERE r.item_id = %(item_id)s
 ORDER BY r.type, r.target_external_id LIMIT %(limit)s;

-- incoming: which items name it
SELECT r.type, i.external_id, r.item_id, i.entity_type, i.display_name, i.deleted
  FROM item_relations r JOIN items i ON i.item_id = r.item_id
 WHERE r.target_id = %(item_id)s
 ORDER BY r.type, r.item_id LIMIT %(limit)s;
