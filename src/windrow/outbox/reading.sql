-- batches: of one run, in their order; never what they carry
SELECT seq, batch_id, status, items, relations, tombstones, bytes, fetched_at, created_at, settled_at, created, updated, deleted, unchanged,
       outdated
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND seq > %(after)s
 ORDER BY seq LIMIT %(limit)s;

-- latest: the last ones of a run, the last one first
SELECT seq, batch_id, status, items, relations, tombstones, bytes, fetched_at, created_at, settled_at, created, updated, deleted, unchanged,
       outdated
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s
 ORDER BY seq DESC LIMIT %(limit)s;
