-- begin: the next epoch; whoever held the one before is a zombie now. What a lane has brought is never above what it will bring
INSERT INTO harvest_lanes AS l (tenant_id, project_id, endpoint_id, lane, epoch, floor, run_id)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(lane)s, 1,
        greatest(%(floor)s, (SELECT o.observation FROM harvest_outbox o
                              WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s
                                AND o.lane = %(lane)s
                              ORDER BY o.seq DESC LIMIT 1)), %(run_id)s)
ON CONFLICT (tenant_id, project_id, endpoint_id, lane) DO UPDATE
   SET epoch = l.epoch + 1, floor = greatest(l.floor, excluded.floor), run_id = excluded.run_id, begun_at = clock_timestamp(), closed_at = NULL
RETURNING epoch;

-- open_for_subscribers: the subscriber's row of the lane
INSERT INTO outbox_lanes (tenant_id, project_id, endpoint_id, lane)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(lane)s)
ON CONFLICT DO NOTHING;

-- observe: before the request is sent. Whoever asks after it yields to those below this lane as well: to an event that was
-- under way before, and whose floor may be lower than ours
SELECT o.observation,
       least(o.horizon, (SELECT min(l.floor) + 1 FROM harvest_lanes l
                          WHERE l.tenant_id = %(tenant)s AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s
                            AND l.lane = ANY (%(below)s::text[]))) AS horizon
  FROM observe(%(tenant)s, %(project)s, %(endpoint)s, %(lane)s, %(above)s::text[]) AS o;

-- enter: lanes that others yield to begin one after the other, or a floor that was drawn before ours could be seen after it
SELECT pg_advisory_xact_lock(hashtextextended(format('lanes of %%s/%%s/%%s', current_tenant(), %(project)s::text, %(endpoint)s::text), 0));

-- hold: the lock and the fence in one statement
UPDATE harvest_lanes SET floor = %(observation)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s
   AND epoch = %(epoch)s AND closed_at IS NULL;

-- end: nothing of this slice is under way any more
UPDATE harvest_lanes SET floor = %(floor)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s AND epoch = %(epoch)s;

-- close: fence everybody off
UPDATE harvest_lanes SET closed_at = clock_timestamp(), epoch = epoch + 1, floor = NULL
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s AND closed_at IS NULL;

-- oldest_elsewhere: under way in a slice, or published and not persisted yet
SELECT least(
  (SELECT min(l.floor) FROM harvest_lanes l
    WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane <> %(lane)s),
  (SELECT min(o.observation) FROM harvest_outbox o
    WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s AND o.lane <> %(lane)s
      AND o.status = 'pending')) AS oldest;

-- forget: a lane that is closed, and has nothing left to persist
WITH gone AS (
  DELETE FROM outbox_lanes l
   WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = %(lane)s
     AND NOT EXISTS (SELECT FROM harvest_outbox o
                      WHERE o.tenant_id = current_tenant() AND o.project_id = %(project)s AND o.endpoint_id = %(endpoint)s
                        AND o.lane = %(lane)s AND o.status = 'pending')
  RETURNING l.lane
)
DELETE FROM harvest_lanes l USING gone
 WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s AND l.lane = gone.lane
   AND l.closed_at IS NOT NULL;
