-- revisions: all that an item was, the present last; in one shape, so that neighbours can be compared
SELECT h.revision, h.seen_at AS at, h.run_id, h.was AS said FROM item_history h WHERE h.item_id = %(item_id)s
UNION ALL
SELECT i.revision, i.changed_at, i.run_id, item_says(i) FROM items i WHERE i.item_id = %(item_id)s
 ORDER BY revision;

-- recent: what was changed or came last, each with the revision before it and the one that it became
WITH news AS (
  (SELECT h.ended_at AS at, h.item_id, h.revision + 1 AS revision, h.ended_by AS run_id, h.was AS before
     FROM item_history h JOIN items i USING (item_id)
    WHERE i.project_id = %(project)s AND (h.ended_at, h.item_id, h.revision + 1) < (%(at)s, %(item_id)s, %(revision)s)
    ORDER BY h.ended_at DESC, h.item_id DESC, h.revision DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT i.first_seen_at, i.item_id, 1, i.first_run_id, NULL
     FROM items i
    WHERE i.project_id = %(project)s AND (i.first_seen_at, i.item_id, 1) < (%(at)s, %(item_id)s, %(revision)s)
    ORDER BY i.first_seen_at DESC, i.item_id DESC LIMIT %(limit)s)
  ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT %(limit)s
)
SELECT n.at, n.item_id, n.revision, n.run_id, i.endpoint_id, i.entity_type, i.display_name,
       n.before, coalesce(later.was, item_says(i)) AS after
  FROM news n JOIN items i USING (item_id)
  LEFT JOIN item_history later ON later.item_id = n.item_id AND later.revision = n.revision
 ORDER BY n.at DESC, n.item_id DESC, n.revision DESC;
