-- waiting: queued jobs that nobody is at, and whose event has had its time
SELECT tenant_id, project_id, job_id, attempts, correlation_id FROM media_jobs
 WHERE stage = 'Queued' AND not_before <= statement_timestamp()
   AND (claimed_until IS NULL OR claimed_until < statement_timestamp())
 ORDER BY not_before
 LIMIT %(most)s;

-- scopes: who has media jobs at all
SELECT DISTINCT tenant_id, project_id FROM media_jobs;

-- settled: where these jobs stand, and whether their objects should show it
SELECT job_id, stage, mirrored >= moves AS is_settled FROM media_jobs WHERE tenant_id = current_tenant() AND job_id = ANY(%(job_ids)s);
