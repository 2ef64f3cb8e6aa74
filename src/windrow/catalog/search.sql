-- words: what the index makes of each text, so that both agree on what a word is
SELECT words_in(spaced(apart(said))) AS words FROM unnest(%(said)s::text[]) WITH ORDINALITY AS s (said, n) ORDER BY n;

-- lots: of the candidates those that hold all that was asked for, the best first; and how many there were of both
WITH candidate AS MATERIALIZED (
  SELECT item_id, coalesce(source_updated_at, changed_at) AS fresh, as_phrase(display_name) AS in_name,
         display_name, canonical_path, endpoint_id, entity_type, labels, owners,
         concat_ws(' ', entity_type, external_id, array_to_string(labels, ' '), array_to_string(owners, ' ')) AS elsewhere
    FROM search_lots(%(project)s, %(deleted)s, %(lots)s::integer[], %(sought)s, %(most)s)
), hit AS MATERIALIZED (
  SELECT item_id, fresh,
         CASE WHEN %(patterns)s::text[] = '{}' THEN 4
              WHEN NOT EXISTS (SELECT FROM unnest(%(patterns)s::text[]) AS p WHERE strpos(in_name, p) = 0)
                THEN CASE WHEN as_phrase(apart(display_name)) = %(whole)s THEN 1 ELSE 2 END
              WHEN canonical_path IS NOT NULL AND NOT EXISTS (
                SELECT FROM (SELECT in_name || as_phrase(canonical_path) AS in_both OFFSET 0) AS b,
                            unnest(%(patterns)s::text[]) AS p WHERE strpos(in_both, p) = 0) THEN 3
              ELSE 4 END AS place
    FROM candidate
   WHERE (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
     AND (%(entity_type)s::text IS NULL OR entity_type = %(entity_type)s)
     AND (%(label)s::text IS NULL OR %(label)s = ANY (labels))
     AND (%(owner)s::text IS NULL OR %(owner)s = ANY (owners))
     -- in this order: to part words costs more than all else
     AND NOT EXISTS (
       SELECT FROM unnest(%(quoted)s::text[]) AS p
        WHERE NOT (strpos(in_name, p) > 0 OR strpos(as_phrase(canonical_path), p) > 0 OR strpos(as_phrase(elsewhere), p) > 0))
     AND NOT EXISTS (
       SELECT FROM unnest(%(barred)s::text[]) AS p
        WHERE strpos(in_name, p) > 0 OR strpos(as_phrase(canonical_path), p) > 0 OR strpos(as_phrase(elsewhere), p) > 0)
)
SELECT (SELECT count(*) FROM candidate) AS seen, (SELECT count(*) FROM hit) AS hits, best.item_id, best.place, best.fresh
  FROM (SELECT) AS always
  LEFT JOIN (SELECT item_id, place, fresh FROM hit ORDER BY place, fresh DESC, item_id LIMIT %(take)s) AS best ON true;

-- frequency: how many of the first lot, one item of 4096, answer
SELECT count(*) FROM search_lots(%(project)s, %(deleted)s, '{0}', %(sought)s, %(most)s);

-- tidy: sort what was written last into the index; how many pages that was
SELECT tidy_search() AS pages;
