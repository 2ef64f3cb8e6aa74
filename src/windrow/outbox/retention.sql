-- purge: what was settled long ago, so many at once
DELETE FROM harvest_outbox
 WHERE ctid = ANY (ARRAY(
   SELECT o.ctid FROM harvest_outbox o
    WHERE o.status <> 'pending' AND o.settled_at < now() - make_interval(secs => %(hours)s * 3600)
    LIMIT %(limit)s));

-- measure: what waits, how long, what is stopped
SELECT count(*) AS pending, coalesce(extract(epoch FROM clock_timestamp() - min(o.created_at)), 0)::float AS lag,
       (SELECT count(*) FROM outbox_lanes WHERE stopped_at IS NOT NULL) AS stopped
  FROM harvest_outbox o WHERE o.status = 'pending';
