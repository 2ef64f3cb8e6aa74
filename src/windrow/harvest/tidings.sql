-- lock: tidings of one endpoint are committed in the order of their numbers
SELECT pg_advisory_xact_lock(hashtextextended('windrow.tidings/' || current_tenant() || '/' || %(project)s || '/' || %(endpoint)s, 0));

-- note: once for each delivery, however often it comes
INSERT INTO tidings (tenant_id, project_id, endpoint_id, delivery_id, refs)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(delivery)s, %(refs)s)
ON CONFLICT (tenant_id, project_id, endpoint_id, delivery_id) DO NOTHING
RETURNING seq, pg_notify('windrow_tidings', '') AS woken;

-- behind: what was heard after a number
SELECT seq, refs FROM tidings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND seq > %(after)s
   AND looked_up_at IS NULL
 ORDER BY seq LIMIT %(most)s;

-- looked_up: everything up to a number
UPDATE tidings SET looked_up_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND seq <= %(upto)s
   AND looked_up_at IS NULL;

-- waiting: the endpoints of all tenants that have told something, the one that waits the longest first
SELECT tenant_id, project_id, endpoint_id, min(heard_at) AS since FROM tidings
 WHERE looked_up_at IS NULL
 GROUP BY tenant_id, project_id, endpoint_id ORDER BY since LIMIT %(most)s;

-- purge: what nobody will deliver again
WITH gone AS (
  DELETE FROM tidings WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM tidings WHERE looked_up_at < clock_timestamp() - %(keep)s::interval LIMIT %(most)s))
  RETURNING 1
)
SELECT count(*) FROM gone;
