-- facets: of each endpoint the types, with how many items there are of each; counted up to a bound, from the indexes alone.
-- From one pair to the next by the index: it has a million entries and a few hundred pairs. Of one endpoint it begins there,
-- and ends with the first of the next. (Under a policy an index is not compared with a coalesce: hence `first`)
WITH RECURSIVE pair AS (
  (SELECT i.endpoint_id, i.entity_type FROM items i
    WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s
      AND (i.endpoint_id, i.entity_type) >= (%(first)s::text, '')
    ORDER BY i.endpoint_id, i.entity_type LIMIT 1)
  UNION ALL
  SELECT further.endpoint_id, further.entity_type
    FROM pair p CROSS JOIN LATERAL (
      SELECT i.endpoint_id, i.entity_type FROM items i
       WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s
         AND (i.endpoint_id, i.entity_type) > (p.endpoint_id, p.entity_type)
       ORDER BY i.endpoint_id, i.entity_type LIMIT 1) AS further
   WHERE %(endpoint)s::text IS NULL OR p.endpoint_id = %(endpoint)s
), known AS MATERIALIZED (
  SELECT * FROM pair WHERE %(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s LIMIT %(pairs)s
), bound AS MATERIALIZED (
  -- of many pairs each is counted less far: all of them together have a bound too
  SELECT least(%(furthest)s::bigint, %(altogether)s::bigint / greatest(count(*), 1)) AS furthest FROM known
)
SELECT p.endpoint_id, p.entity_type, there.items, gone.items AS gone, b.furthest
  FROM known AS p CROSS JOIN bound AS b
 CROSS JOIN LATERAL (
   SELECT count(*) AS items FROM (
     SELECT FROM items i WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s AND i.deleted
        AND i.endpoint_id = p.endpoint_id AND i.entity_type = p.entity_type LIMIT b.furthest + 1) AS g) AS gone
 CROSS JOIN LATERAL (
   SELECT count(*) AS items FROM (
     SELECT FROM items i WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s
        AND i.endpoint_id = p.endpoint_id AND i.entity_type = p.entity_type LIMIT b.furthest + 1 + gone.items) AS t) AS there;

-- sample: the first of the tenant's items by their ids, which are hashes: a fair part of all, the same each time. The last
-- id says how large a part
WITH drawn AS MATERIALIZED (
  SELECT i.item_id, i.project_id, i.endpoint_id, i.entity_type, i.deleted FROM items i
   WHERE i.tenant_id = current_tenant() ORDER BY i.item_id LIMIT %(size)s
)
SELECT d.endpoint_id, d.entity_type, count(*) FILTER (WHERE NOT d.deleted) AS items, count(*) FILTER (WHERE d.deleted) AS gone,
       (SELECT item_id FROM drawn ORDER BY item_id DESC LIMIT 1) AS last
  FROM drawn d WHERE d.project_id = %(project)s AND (%(endpoint)s::text IS NULL OR d.endpoint_id = %(endpoint)s)
 GROUP BY d.endpoint_id, d.entity_type;
