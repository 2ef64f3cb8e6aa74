-- page: the latest first; of a record, which may be large, only whether it was kept
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, left(record, 0) AS record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(state)s::text IS NULL OR state = %(state)s)
   AND (%(last_at)s::timestamptz IS NULL OR last_at < %(last_at)s
        OR (last_at = %(last_at)s AND (endpoint_id, id) > (%(last_endpoint)s::text, %(last_id)s::text)))
 ORDER BY last_at DESC, endpoint_id, id LIMIT %(limit)s;

-- entry: one, whole; its id is the endpoint's, and another endpoint may have the same
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND id = %(id)s;
