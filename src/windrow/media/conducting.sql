-- enriched: the next job that waits to be handed over, in this transaction's hand; one with a claim is about to be pruned. The
-- statement's own time can be looked up in an index, that of the clock would be asked of every row
SELECT tenant_id, job_id FROM media_jobs
 WHERE stage = 'MetadataReady' AND not_before <= statement_timestamp() AND claimed_until IS NULL
 ORDER BY not_before
 LIMIT 1
   FOR UPDATE SKIP LOCKED;

-- look_later: nobody here takes it, or it could not be handed over, which counts
UPDATE media_jobs SET not_before = clock_timestamp() + %(delay)s, attempts = attempts + %(counted)s::int
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = 'MetadataReady' AND moves = %(moves)s;

-- set_aside: a row that cannot be read waits by itself
UPDATE media_jobs SET not_before = clock_timestamp() + %(delay)s
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = 'MetadataReady';

-- ended: jobs whose work is over, however; also those of which the runtime knows nothing any more
SELECT media.tenant_id, media.job_id
  FROM media_jobs AS media
  LEFT JOIN jobs AS job ON job.tenant_id = media.tenant_id AND job.id = media.runtime_job_id
 WHERE media.stage = 'Processing' AND media.runtime_job_id IS NOT NULL AND (job.id IS NULL OR job.finished_at IS NOT NULL)
 ORDER BY media.updated_at
 LIMIT %(most)s;
