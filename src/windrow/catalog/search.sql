-- words: what the index makes of each text, so that both agree on what a word is; and how many items are behind: asked
-- before the search, so that what it misses is among them
SELECT (SELECT coalesce(jsonb_agg(words_in(spaced(apart(said))) ORDER BY n), '[]')
          FROM unnest(%(said)s::text[]) WITH ORDINALITY AS s (said, n)) AS words,
       (SELECT coalesce(sum(cardinality(item_ids)), 0)::bigint FROM search_backlog WHERE tenant_id = current_tenant()) AS behind;

-- lots: of the candidates those that hold all that was asked for, the best first; and how many there were of both
WITH found AS MATERIALIZED (
  SELECT lot, item_id FROM search_lots(%(project)s, %(deleted)s, %(lots)s::integer[], %(sought)s, %(enough)s, %(most)s)
), candidate AS MATERIALIZED (
  SELECT item_id, endpoint_id, entity_type, coalesce(source_updated_at, changed_at) AS fresh, as_phrase(display_name) AS in_name,
         display_name, canonical_path, elsewhere
    FROM found JOIN items USING (item_id)
   CROSS JOIN LATERAL (SELECT concat_ws(' ', entity_type, external_id, array_to_string(labels, ' '), array_to_string(owners, ' ')) AS elsewhere OFFSET 0) AS e
   WHERE project_id = %(project)s AND deleted = %(deleted)s -- its words may be of an earlier revision
     AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
     AND (%(entity_type)s::text IS NULL OR entity_type = %(entity_type)s)
     AND (%(label)s::text IS NULL OR %(label)s = ANY (labels))
     AND (%(owner)s::text IS NULL OR %(owner)s = ANY (owners))
     -- to part words costs more than all else: a plain text that lacks one as it stands need not be parted
     AND (%(within)s::text[] = '{}' OR NOT EXISTS (
       SELECT FROM (SELECT lower(concat_ws(' ', display_name, canonical_path, elsewhere)) AS said OFFSET 0) AS l,
                   unnest(%(within)s::text[]) AS w
        WHERE said !~ w AND octet_length(said) = length(said)))
), hit AS MATERIALIZED (
  SELECT item_id, endpoint_id, entity_type, fresh,
         CASE WHEN %(patterns)s::text[] = '{}' THEN 4
              WHEN NOT EXISTS (SELECT FROM unnest(%(patterns)s::text[]) AS p WHERE strpos(in_name, p) = 0)
                THEN CASE WHEN as_phrase(apart(display_name)) = %(whole)s THEN 1 ELSE 2 END
              WHEN canonical_path IS NOT NULL AND NOT EXISTS (
                SELECT FROM (SELECT in_name || as_phrase(canonical_path) AS in_both OFFSET 0) AS b,
                            unnest(%(patterns)s::text[]) AS p WHERE strpos(in_both, p) = 0) THEN 3
              ELSE 4 END AS place
    FROM candidate
   WHERE NOT EXISTS (
       SELECT FROM unnest(%(quoted)s::text[]) AS p
        WHERE NOT (strpos(in_name, p) > 0 OR strpos(as_phrase(canonical_path), p) > 0 OR strpos(as_phrase(elsewhere), p) > 0))
     AND NOT EXISTS (
       SELECT FROM unnest(%(barred)s::text[]) AS p
        WHERE strpos(in_name, p) > 0 OR strpos(as_phrase(canonical_path), p) > 0 OR strpos(as_phrase(elsewhere), p) > 0)
)
SELECT (SELECT count(*) FROM found) AS seen, (SELECT max(lot) FROM found) AS last, (SELECT count(*) FROM hit) AS hits,
       CASE WHEN %(with_facets)s THEN (SELECT jsonb_agg(jsonb_build_array(endpoint_id, entity_type, items)) FROM (
         SELECT endpoint_id, entity_type, count(*) AS items FROM hit GROUP BY endpoint_id, entity_type) AS f) END AS facets,
       best.item_id, best.place, best.fresh
  FROM (SELECT) AS always
  LEFT JOIN (SELECT item_id, place, fresh FROM hit ORDER BY place, fresh DESC, item_id LIMIT %(take)s) AS best ON true;

-- frequency: how many of the first lot, one item of 4096, answer
SELECT count(*) FROM search_lots(%(project)s, %(deleted)s, '{0}', %(sought)s, 1, %(most)s);
