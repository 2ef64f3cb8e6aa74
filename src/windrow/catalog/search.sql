-- words: what the index makes of each text, so that both agree on what a word is
SELECT words_in(spaced(apart(said))) AS words FROM unnest(%(said)s::text[]) WITH ORDINALITY AS s (said, n) ORDER BY n;

-- lot: of one lot's candidates those that hold all that was asked for, the best first; and how many there were of both
WITH candidate AS MATERIALIZED (
  SELECT item_id, endpoint_id, entity_type, labels, owners, coalesce(source_updated_at, changed_at) AS fresh,
         as_phrase(display_name) AS in_name, as_phrase(canonical_path) AS in_path,
         -- to split the rest costs as much as all else, and only phrases need it
         CASE WHEN %(phrases)s THEN
           as_phrase(concat_ws(' ', entity_type, external_id, array_to_string(labels, ' '), array_to_string(owners, ' ')))
         END AS elsewhere
    FROM search_lot(%(project)s, %(deleted)s, %(lot)s, %(sought)s, %(most)s)
), hit AS (
  SELECT item_id, fresh,
         CASE WHEN %(patterns)s::text[] = '{}' THEN 4
              WHEN in_name = %(whole)s THEN 1
              WHEN NOT EXISTS (SELECT FROM unnest(%(patterns)s::text[]) AS p WHERE strpos(in_name, p) = 0) THEN 2
              WHEN NOT EXISTS (SELECT FROM unnest(%(patterns)s::text[]) AS p WHERE strpos(in_name || in_path, p) = 0) THEN 3
              ELSE 4 END AS place
    FROM candidate
   WHERE (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
     AND (%(entity_type)s::text IS NULL OR entity_type = %(entity_type)s)
     AND (%(label)s::text IS NULL OR %(label)s = ANY (labels))
     AND (%(owner)s::text IS NULL OR %(owner)s = ANY (owners))
     AND NOT EXISTS (
       SELECT FROM unnest(%(quoted)s::text[]) AS p
        WHERE strpos(in_name, p) = 0 AND strpos(in_path, p) = 0 AND strpos(elsewhere, p) = 0)
     AND NOT EXISTS (
       SELECT FROM unnest(%(barred)s::text[]) AS p
        WHERE strpos(in_name, p) > 0 OR strpos(in_path, p) > 0 OR strpos(elsewhere, p) > 0)
)
SELECT (SELECT count(*) FROM candidate) AS seen, (SELECT count(*) FROM hit) AS hits, best.item_id, best.place, best.fresh
  FROM (SELECT) AS always
  LEFT JOIN (SELECT item_id, place, fresh FROM hit ORDER BY place, fresh DESC, item_id LIMIT %(take)s) AS best ON true;

-- tidy: sort what was written last into the index; how many pages that was
SELECT tidy_search() AS pages;
