-- latest: of the news behind a place, so many at the most, the items that have not changed since and are meant; and where
-- the news ended. To look at a few thousand is cheap: that many may be of other endpoints, or not the last word any more.
-- (Under a policy only plain columns are compared by an index: to add one to a revision could fail, and so give it away.)
WITH news AS MATERIALIZED (
  (SELECT h.ended_at AS at, h.item_id, h.revision + 1 AS revision, true AS meant
     FROM item_history h
    WHERE h.tenant_id = current_tenant() AND (h.ended_at, h.item_id, h.revision) < (%(at)s, %(item_id)s, %(revision)s::integer - 1)
    ORDER BY h.ended_at DESC, h.item_id DESC, h.revision DESC LIMIT %(most)s)
  UNION ALL
  -- what came is in hand here already: whether it is meant is seen at once
  (SELECT i.first_seen_at, i.item_id, 1,
          i.revision = 1 AND i.deleted = %(deleted)s
            AND (%(endpoint)s::text IS NULL OR i.endpoint_id = %(endpoint)s)
            AND (%(entity_type)s::text IS NULL OR i.entity_type = %(entity_type)s)
            AND (%(label)s::text IS NULL OR %(label)s = ANY (i.labels))
            AND (%(owner)s::text IS NULL OR %(owner)s = ANY (i.owners))
     FROM items i
    WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s
      AND (i.first_seen_at, i.item_id, 1) < (%(at)s, %(item_id)s, %(revision)s::integer)
    ORDER BY i.first_seen_at DESC, i.item_id DESC LIMIT %(most)s)
  ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT %(most)s
), met AS MATERIALIZED (
  SELECT n.at, i.item_id, i.endpoint_id, i.entity_type, i.external_id, i.display_name, i.canonical_path, i.url, i.owners, i.labels,
         i.deleted, i.source_updated_at, i.revision, i.first_seen_at, i.changed_at, i.revision - 1 AS former
    FROM news n JOIN items i ON i.tenant_id = current_tenant() AND i.item_id = n.item_id AND i.revision = n.revision
   WHERE n.meant AND i.project_id = %(project)s AND i.deleted = %(deleted)s
     AND (%(endpoint)s::text IS NULL OR i.endpoint_id = %(endpoint)s)
     AND (%(entity_type)s::text IS NULL OR i.entity_type = %(entity_type)s)
     AND (%(label)s::text IS NULL OR %(label)s = ANY (i.labels))
     AND (%(owner)s::text IS NULL OR %(owner)s = ANY (i.owners))
   ORDER BY n.at DESC, i.item_id DESC, i.revision DESC LIMIT %(limit)s
)
SELECT seen.looked, ended.at AS ended_at, ended.item_id AS ended_id, ended.revision AS ended_revision, m.*,
       coalesce((h.was ->> 'deleted')::boolean, false) AS was_deleted
  FROM (SELECT count(*) AS looked FROM news) AS seen
  LEFT JOIN (SELECT * FROM news ORDER BY at, item_id, revision LIMIT 1) AS ended ON true
  LEFT JOIN met m ON true
  LEFT JOIN item_history h ON h.tenant_id = current_tenant() AND h.item_id = m.item_id AND h.revision = m.former
 ORDER BY m.at DESC, m.item_id DESC, m.revision DESC;
