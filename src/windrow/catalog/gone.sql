-- listing_without: what a listing buries has its run and its horizon
SELECT begun_at FROM listings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation >= %(observation)s
   AND horizon = %(observation)s AND run_id = %(run_id)s AND state = 'applied'
 ORDER BY generation LIMIT 1;
