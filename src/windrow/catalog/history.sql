-- revisions: what an item was, the present first; in one shape, so that neighbours can be compared. All, or some before one
SELECT revision, at, run_id, said
  FROM ((SELECT i.revision, i.changed_at AS at, i.run_id, item_says(i) AS said FROM items i
          WHERE i.item_id = %(item_id)s AND (%(before)s::integer IS NULL OR i.revision < %(before)s))
        UNION ALL
        (SELECT h.revision, h.seen_at, h.run_id, h.was FROM item_history h
          WHERE h.item_id = %(item_id)s AND (%(before)s::integer IS NULL OR h.revision < %(before)s)
          ORDER BY h.revision DESC LIMIT %(limit)s)) AS steps
 ORDER BY revision DESC LIMIT %(limit)s;

-- recent: what was changed or came last, each with the revision before it and the one that it became. (Under a policy only
-- plain columns are compared by an index: to add one to a revision could fail, and so give it away.)
WITH news AS MATERIALIZED (
  (SELECT h.ended_at AS at, h.item_id, h.revision + 1 AS revision, h.ended_by AS run_id, h.was AS before
     FROM item_history h JOIN items i USING (item_id)
    WHERE i.project_id = %(project)s AND (h.ended_at, h.item_id, h.revision) < (%(at)s, %(item_id)s, %(revision)s::integer - 1)
    ORDER BY h.ended_at DESC, h.item_id DESC, h.revision DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT i.first_seen_at, i.item_id, 1, i.first_run_id, NULL
     FROM items i
    WHERE i.project_id = %(project)s AND (i.first_seen_at, i.item_id, 1) < (%(at)s, %(item_id)s, %(revision)s::integer)
    ORDER BY i.first_seen_at DESC, i.item_id DESC LIMIT %(limit)s)
  ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT %(limit)s
)
SELECT n.at, n.item_id, n.revision, n.run_id, i.endpoint_id, i.entity_type, i.display_name,
       n.before, coalesce(later.was, item_says(i)) AS after
  FROM news n JOIN items i USING (item_id)
  LEFT JOIN item_history later ON later.item_id = n.item_id AND later.revision = n.revision
 ORDER BY n.at DESC, n.item_id DESC, n.revision DESC;
