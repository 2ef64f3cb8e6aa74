-- page: the runs of a project, the latest first, behind the last one of the page before
SELECT run_id, project_id, endpoint_id, lane, state, begun_at, ended_at, pages, fetched, published, repeats, quarantined, bytes,
       outcome, error_class, code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(begun_at)s::timestamptz IS NULL OR (begun_at, run_id) < (%(begun_at)s, %(run_id)s::text))
 ORDER BY begun_at DESC, run_id DESC LIMIT %(limit)s;

-- batches: of one run, in their order; without what they carry
SELECT seq, batch_id, status, items, relations, tombstones, bytes, fetched_at, created_at, settled_at, created, updated, deleted, unchanged,
       outdated
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND seq > %(after)s
 ORDER BY seq LIMIT %(limit)s;
