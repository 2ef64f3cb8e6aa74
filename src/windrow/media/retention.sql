-- condemn: what ended long ago, or was enriched and taken by nobody since, and whose objects show it. From now on it has a
-- claim until the last day: nobody can retry it or hand it over
WITH old AS MATERIALIZED (
  SELECT tenant_id, job_id FROM media_jobs
   WHERE stage IN ('MetadataReady', 'Completed', 'Failed', 'Cancelled') AND updated_at < statement_timestamp() - %(keep)s::interval
     AND mirrored >= moves AND (claimed_until IS NULL OR claimed_until = '9999-12-31')
     AND (tenant_id, job_id) NOT IN (SELECT * FROM unnest(%(tenants)s::text[], %(job_ids)s::text[]))
   ORDER BY updated_at
   LIMIT %(most)s
     FOR UPDATE SKIP LOCKED
)
UPDATE media_jobs AS job SET claimed_until = '9999-12-31' FROM old
 WHERE job.tenant_id = old.tenant_id AND job.job_id = old.job_id
RETURNING job.tenant_id, job.project_id, job.job_id;

-- remove: a condemned job, with its events
DELETE FROM media_jobs WHERE tenant_id = %(tenant_id)s AND job_id = %(job_id)s AND claimed_until = '9999-12-31';
