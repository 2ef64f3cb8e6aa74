-- days: what the runs of the last weeks made of the catalog, day by day
SELECT date_bin(interval '1 day', begun_at, '2000-01-01') AS day,
       sum((settled ->> 'created')::bigint)::bigint AS created, sum((settled ->> 'updated')::bigint)::bigint AS updated,
       sum((settled ->> 'deleted')::bigint)::bigint AS deleted
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND begun_at > clock_timestamp() - interval '30 days'
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
 GROUP BY 1;
