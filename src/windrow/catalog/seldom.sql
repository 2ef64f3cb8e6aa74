-- by_place: how many items a project, an endpoint or one type of it has, tombstones or not, as far as it matters; and the
-- first of them behind an id. One of the branches reads its index, the others nothing at all
WITH few AS MATERIALIZED (
  SELECT item_id FROM (
    SELECT i.item_id FROM items i
     WHERE %(deleted)s::boolean AND i.deleted AND i.tenant_id = current_tenant() AND i.project_id = %(project)s
    UNION ALL
    SELECT i.item_id FROM items i
     WHERE NOT %(deleted)s::boolean AND %(endpoint)s::text IS NULL
       AND i.tenant_id = current_tenant() AND i.project_id = %(project)s
    UNION ALL
    SELECT i.item_id FROM items i
     WHERE NOT %(deleted)s::boolean AND %(endpoint)s::text IS NOT NULL AND %(entity_type)s::text IS NULL
       AND i.tenant_id = current_tenant() AND i.project_id = %(project)s AND i.endpoint_id = %(endpoint)s
    UNION ALL
    SELECT i.item_id FROM items i
     WHERE NOT %(deleted)s::boolean AND %(endpoint)s::text IS NOT NULL AND %(entity_type)s::text IS NOT NULL
       AND i.tenant_id = current_tenant() AND i.project_id = %(project)s AND i.endpoint_id = %(endpoint)s
       AND i.entity_type = %(entity_type)s) AS there
   LIMIT %(most)s + 1
)
SELECT count(*) AS count, (array_agg(item_id ORDER BY item_id) FILTER (WHERE item_id > %(after)s))[:%(take)s] AS ids FROM few;

-- waiting: the words that a type is known by; and which items were written too lately to be known by theirs. Asked before
-- the index, so that what that misses is among them
SELECT coalesce(words_in(spaced(apart(%(entity_type)s::text))), '{}') AS words,
       ARRAY(SELECT unnest(item_ids) FROM search_backlog WHERE tenant_id = current_tenant() LIMIT %(most)s + 1) AS ids;

-- by_words: those that the index of the words knows, and those that wait, in the same manner
WITH few AS MATERIALIZED (
  SELECT item_id FROM search_lots(%(project)s, %(deleted)s, '{0,1,2,3,4,5,6}', %(sought)s, %(most)s + 1, %(most)s + 1)
   UNION
  SELECT unnest(%(waiting)s::uuid[])
)
SELECT count(*) AS count, (array_agg(item_id ORDER BY item_id) FILTER (WHERE item_id > %(after)s))[:%(take)s] AS ids FROM few;
