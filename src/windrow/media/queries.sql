-- One file explains how a media job is written. What moves one names the stage and the number of moves that were seen: whoever
-- comes second finds no row. The migration's triggers write the event of every move, and refuse one that there is not.

-- insert: a new job, or one whose object or message came first and which its finder takes in hand; no row: it is there already
INSERT INTO media_jobs (tenant_id, job_id, project_id, request_id, media, clip, correlation_id, claimed_until)
VALUES (current_tenant(), coalesce(%(job_id)s, new_job_id()::text), %(project_id)s, %(request_id)s, %(media)s::jsonb, %(clip)s::jsonb,
        %(correlation_id)s, clock_timestamp() + %(lasting)s::interval)
ON CONFLICT (tenant_id, job_id) DO NOTHING
RETURNING *;

-- find: one job
SELECT * FROM media_jobs WHERE tenant_id = current_tenant() AND job_id = %(job_id)s;

-- claim: a queued job that nobody is at
SELECT * FROM media_claim(%(tenant_id)s, %(job_id)s, %(lasting)s);

-- hold: whether the claim is still the caller's; if so, nobody takes it before this transaction ends
SELECT true FROM media_jobs
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = 'Queued' AND claimed_until = %(claimed_until)s
   FOR UPDATE;

-- release: let go of a claim, and of no other's
UPDATE media_jobs SET claimed_until = NULL
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = 'Queued' AND claimed_until = %(claimed_until)s;

-- put_off: by whoever has the claim: again after a delay, or at the time that a provider has named, within a bound
UPDATE media_jobs
   SET attempts = attempts + %(counted)s::int, error = %(error)s::jsonb, claimed_until = NULL,
       not_before = least(greatest(clock_timestamp() + %(delay)s, coalesce(%(until)s, '-infinity'::timestamptz)),
                          clock_timestamp() + %(longest)s)
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = 'Queued' AND claimed_until = %(claimed_until)s
RETURNING not_before, extract(epoch FROM not_before - clock_timestamp())::float AS seconds;

-- move: to its next stage, once
UPDATE media_jobs
   SET stage = %(to)s, snapshot = coalesce(%(snapshot)s::jsonb, snapshot),
       metadata_version = metadata_version + (%(snapshot)s::jsonb IS NOT NULL)::int,
       runtime_job_id = coalesce(%(runtime_job_id)s::uuid, runtime_job_id),
       attempts = CASE WHEN %(to)s = 'MetadataReady' THEN 0 ELSE attempts END,
       error = %(error)s::jsonb, claimed_until = NULL, not_before = clock_timestamp()
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = %(stage)s AND moves = %(moves)s
RETURNING *;

-- requeue: from the beginning, by a person's word; one that is being pruned has a claim, and stays as it is
UPDATE media_jobs
   SET stage = 'Queued', attempts = 0, snapshot = NULL, runtime_job_id = NULL, error = NULL, not_before = DEFAULT
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s AND stage = %(stage)s AND moves = %(moves)s AND claimed_until IS NULL
RETURNING *;

-- listed: newest first, a page at a time after the last one seen
SELECT * FROM media_jobs
 WHERE tenant_id = current_tenant()
   AND (%(project_id)s::text IS NULL OR project_id = %(project_id)s)
   AND (%(stage)s::text IS NULL OR stage = %(stage)s)
   AND (%(media_type)s::text IS NULL OR media ->> 'type' = %(media_type)s)
   AND (created_at, job_id) < (coalesce(%(at)s, 'infinity'::timestamptz), coalesce(%(job_id)s, ''))
 ORDER BY created_at DESC, job_id DESC
 LIMIT %(limit)s;

-- counts: how many stand where
SELECT stage, count(*) AS jobs FROM media_jobs WHERE tenant_id = current_tenant() GROUP BY stage;

-- events: the changes of one job, in order
SELECT number, at, from_stage, to_stage, details FROM media_events
 WHERE tenant_id = current_tenant() AND job_id = %(job_id)s ORDER BY number;
