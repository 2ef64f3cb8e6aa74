-- stop: unless the batch was settled by somebody else in between
UPDATE outbox_lanes l SET stopped_at = clock_timestamp(), stopped_seq = %(seq)s, stopped_code = %(code)s, stopped_why = %(why)s
 WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = %(lane)s
   AND l.stopped_at IS NULL
   AND EXISTS (SELECT FROM harvest_outbox o
                WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s AND o.lane = %(lane)s
                  AND o.seq = %(seq)s AND o.status = 'pending');

-- resume: with the seq at which it was stopped; who waits for batches hears of it
WITH stopped AS (
  SELECT l.stopped_seq FROM outbox_lanes l
   WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = %(lane)s
     AND l.stopped_at IS NOT NULL
     FOR UPDATE
), resumed AS (
  UPDATE outbox_lanes l SET stopped_at = NULL, stopped_seq = NULL, stopped_code = NULL, stopped_why = NULL
    FROM stopped
   WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = %(lane)s
)
SELECT stopped_seq, pg_notify('windrow_outbox', '') FROM stopped;

-- discard: set aside, in its place
UPDATE harvest_outbox
   SET status = 'discarded', settled_at = clock_timestamp(), created = 0, updated = 0, deleted = 0, unchanged = 0, outdated = 0
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s AND seq = %(seq)s
   AND status = 'pending';

-- statuses: for people
SELECT l.project_id, l.endpoint_id, l.lane, h.epoch, coalesce(o.pending, 0) AS pending, coalesce(o.items, 0)::bigint AS pending_items,
       coalesce(o.bytes, 0)::bigint AS pending_bytes, o.oldest_at, l.stopped_at, l.stopped_seq, l.stopped_code, l.stopped_why
  FROM outbox_lanes l
  LEFT JOIN harvest_lanes h USING (tenant_id, project_id, endpoint_id, lane)
  LEFT JOIN (SELECT project_id, endpoint_id, lane, count(*) AS pending, sum(items) AS items, sum(bytes) AS bytes, min(created_at) AS oldest_at
               FROM harvest_outbox WHERE tenant_id = current_tenant() AND status = 'pending'
              GROUP BY 1, 2, 3) AS o USING (project_id, endpoint_id, lane)
 WHERE l.tenant_id = current_tenant()
   AND (%(project)s::text IS NULL OR l.project_id = %(project)s) AND (%(endpoint)s::text IS NULL OR l.endpoint_id = %(endpoint)s)
 ORDER BY l.stopped_at IS NULL, l.endpoint_id, l.lane;
