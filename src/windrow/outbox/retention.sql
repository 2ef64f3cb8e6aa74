-- purge: what was settled long ago, so many at once
DELETE FROM harvest_outbox o
 USING (SELECT tenant_id, project_id, endpoint_id, lane, seq FROM harvest_outbox
         WHERE status <> 'pending' AND settled_at < now() - make_interval(secs => %(hours)s * 3600)
         ORDER BY settled_at LIMIT %(limit)s) AS old
 WHERE o.tenant_id = old.tenant_id AND o.project_id = old.project_id AND o.endpoint_id = old.endpoint_id AND o.lane = old.lane
   AND o.seq = old.seq AND o.status <> 'pending';

-- measure: what waits, how long, what is stopped
SELECT count(*) AS pending, coalesce(extract(epoch FROM clock_timestamp() - min(o.created_at)), 0)::float AS lag,
       (SELECT count(*) FROM outbox_lanes WHERE stopped_at IS NOT NULL) AS stopped
  FROM harvest_outbox o WHERE o.status = 'pending';
