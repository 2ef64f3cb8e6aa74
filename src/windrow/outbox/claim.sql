-- next_lane: that has waited longest, of any tenant; one that somebody is at work on is passed over
SELECT l.tenant_id, l.project_id, l.endpoint_id, l.lane
  FROM outbox_lanes l
 WHERE l.stopped_at IS NULL
   AND EXISTS (SELECT FROM harvest_outbox o
                WHERE o.tenant_id = l.tenant_id AND o.project_id = l.project_id AND o.endpoint_id = l.endpoint_id AND o.lane = l.lane
                  AND o.status = 'pending')
 ORDER BY l.served_at
 LIMIT 1
   FOR UPDATE SKIP LOCKED;

-- lock_lane: a named lane, for whoever waits for it
SELECT l.lane FROM outbox_lanes l
 WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = %(lane)s
   AND l.stopped_at IS NULL
   FOR UPDATE SKIP LOCKED;

-- hold_still: every lane of an endpoint; whoever persists one of them now is waited for
SELECT l.lane FROM outbox_lanes l
 WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s
 ORDER BY l.lane
   FOR UPDATE;

-- pending: lowest first, up to the budget; the sum is that of the batches before
SELECT seq, batch_id, observation, run_id, connector, items, bytes, encoding, generation
  FROM (SELECT o.*, sum(o.bytes) OVER (ORDER BY o.seq) - o.bytes AS before
          FROM (SELECT seq, batch_id, observation, run_id, connector, items, bytes, encoding, generation
                  FROM harvest_outbox
                 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s
                   AND status = 'pending'
                 ORDER BY seq LIMIT %(most)s) AS o) AS o
 WHERE before < %(most_bytes)s
 ORDER BY seq;

-- settle: by compare-and-set on the status
UPDATE harvest_outbox o
   SET status = 'processed', settled_at = statement_timestamp(), created = s.created, updated = s.updated, deleted = s.deleted,
       unchanged = s.unchanged, outdated = s.outdated
  FROM unnest(%(seqs)s::bigint[], %(created)s::int[], %(updated)s::int[], %(deleted)s::int[], %(unchanged)s::int[], %(outdated)s::int[])
    AS s (seq, created, updated, deleted, unchanged, outdated)
 WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s AND o.lane = %(lane)s
   AND o.seq = s.seq AND o.status = 'pending';

-- served: to the end of the line
UPDATE outbox_lanes SET served_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s;
