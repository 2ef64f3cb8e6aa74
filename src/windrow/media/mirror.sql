-- claim: jobs whose objects do not show where they stand. A claim lasts for a while, then it is anybody's again
WITH chosen AS (
  SELECT tenant_id, job_id FROM media_jobs
   WHERE mirrored < moves AND (mirroring_until IS NULL OR mirroring_until < clock_timestamp())
   -- what could not be mirrored goes behind those that have waited since: one store that is away holds up nobody else's
   ORDER BY coalesce(mirroring_until, updated_at)
   LIMIT %(most)s
   FOR UPDATE SKIP LOCKED
)
UPDATE media_jobs m SET mirror_epoch = m.mirror_epoch + 1, mirroring_until = clock_timestamp() + %(lease)s
  FROM chosen c WHERE m.tenant_id = c.tenant_id AND m.job_id = c.job_id
RETURNING m.tenant_id, m.project_id, m.job_id, m.stage, m.mirror_epoch AS epoch;

-- holds: whether the claim is still ours, so that nothing is deleted for somebody who was overtaken
SELECT true FROM media_jobs
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND mirror_epoch = %(epoch)s AND mirroring_until > clock_timestamp();

-- settle: the objects show this move, unless the job went astray meanwhile. What was queued is announced by whoever watches the store,
-- and the conductor, which passed over a row that was locked, looks again
UPDATE media_jobs SET mirrored = CASE WHEN mirrored = %(seen)s THEN %(moves)s ELSE mirrored END, mirroring_until = NULL
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND mirror_epoch = %(epoch)s
RETURNING pg_notify('windrow_media_objects', ''), pg_notify('windrow_media', '');

-- postpone: the store could not be written; later, by anybody
UPDATE media_jobs SET mirroring_until = clock_timestamp() + %(delay)s
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND mirror_epoch = %(epoch)s;

-- astray: something may lie where it should not. Another number each time: whoever mirrors the job just now does not take it back
UPDATE media_jobs SET mirrored = least(mirrored, 0) - 1 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s
RETURNING pg_notify('windrow_media', '');

-- changes: the moves that the objects do not show yet
SELECT number, at, from_stage, to_stage, details FROM media_events
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND number > %(after)s ORDER BY number;
