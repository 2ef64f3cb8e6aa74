-- lanes: every lane is looked at by one step into the index of what is pending, and of those that are shown the batches are counted;
-- a row without a lane carries the counts alone
WITH known AS MATERIALIZED (
  SELECT l.endpoint_id, l.lane, l.stopped_at, l.stopped_seq, l.stopped_code, l.stopped_why,
         (SELECT o.created_at FROM harvest_outbox o
           WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = l.endpoint_id
             AND o.lane = l.lane AND o.status = 'pending' ORDER BY o.seq LIMIT 1) AS oldest_at
    FROM outbox_lanes l
   WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s
), counted AS (
  SELECT count(*) FILTER (WHERE stopped_at IS NOT NULL) AS stopped,
         count(*) FILTER (WHERE stopped_at IS NULL AND oldest_at IS NOT NULL) AS waiting,
         count(*) FILTER (WHERE stopped_at IS NULL AND oldest_at IS NULL) AS quiet
    FROM known
), shown AS MATERIALIZED (
  SELECT * FROM known WHERE stopped_at IS NOT NULL OR oldest_at IS NOT NULL
   ORDER BY stopped_at IS NULL, oldest_at, endpoint_id, lane LIMIT %(limit)s
)
SELECT counted.*, shown.*, batch.run_id AS stopped_run, batch.items AS stopped_items,
       (SELECT count(*) FROM (SELECT FROM harvest_outbox o
                               WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = shown.endpoint_id
                                 AND o.lane = shown.lane AND o.status = 'pending' LIMIT %(most)s) AS a_few) AS pending
  FROM counted
  LEFT JOIN shown ON true
  LEFT JOIN harvest_outbox AS batch
    ON batch.tenant_id = current_tenant() AND batch.project_id = %(project)s AND batch.endpoint_id = shown.endpoint_id
   AND batch.lane = shown.lane AND batch.seq = shown.stopped_seq
 ORDER BY shown.stopped_at IS NULL, shown.oldest_at, shown.endpoint_id, shown.lane;
