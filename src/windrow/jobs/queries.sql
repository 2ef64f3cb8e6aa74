-- One file explains a job. Its states:
--
--   scheduled ──promote──► queued ──acquire──► processing ──done──► done
--       ▲                    ▲                   │ │ │ └───fail───► failed
--       └────────fail────────│───────────────────┘ │ └───cancel───► cancelled
--                            └──recover, hand_back─┘
--
-- Everything from `heartbeat` to `hand_back` is fenced: id, lease epoch, and still processing. No row: the lease is lost.
-- `status || ''` keeps the planner from looking for a job whose id is known in the small index of what is being processed:
-- there it would read all that is in hand for each, and what no vacuum has cleared away yet.
-- The event is written by the statement that makes it happen, which has the job's row, so events stand in their order.

-- careful: before anything that a worker does across tenants. A plan made while the queue was empty must not be kept for a
-- full one; and a process that is stopped in the middle of this must not hold the others up for ever.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('idle_in_transaction_session_timeout', '15s', true);

-- enqueue: any number of one kind on the same terms; one wake-up, whatever their number
WITH given AS MATERIALIZED (
  SELECT new_job_id() AS id, line.n, line.payload::jsonb AS payload
    FROM string_to_table(%(payloads)s, chr(10)) WITH ORDINALITY AS line (payload, n)
), enqueued AS (
  INSERT INTO jobs (tenant_id, id, project_id, kind, payload, status, priority, run_at, max_attempts, correlation_id)
  SELECT current_tenant(), given.id, %(project)s, %(kind)s, given.payload,
         CASE WHEN %(run_at)s::timestamptz > clock_timestamp() THEN 'scheduled' ELSE 'queued' END, %(priority)s, %(run_at)s,
         %(max_attempts)s, %(correlation)s
    FROM given ORDER BY given.n
  RETURNING id, seq, status
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch)
  SELECT current_tenant(), id, 'created', 1, 0 FROM enqueued
)
SELECT array_agg(id::text ORDER BY seq) AS ids,
       pg_notify(CASE max(status) WHEN 'scheduled' THEN 'windrow_jobs_scheduled' ELSE 'windrow_jobs_queued' END, '') AS woken
  FROM enqueued;

-- enqueue_unique: those whose key is free; a key that another transaction is about to take is waited for
WITH given AS MATERIALIZED (
  SELECT new_job_id() AS id, line.n, line.payload::jsonb AS payload, line.key
    FROM ROWS FROM (string_to_table(%(payloads)s, chr(10)), unnest(%(keys)s::text[])) WITH ORDINALITY AS line (payload, key, n)
), enqueued AS (
  INSERT INTO jobs (tenant_id, id, project_id, kind, payload, status, priority, run_at, max_attempts, correlation_id,
                    dedupe_key, dedupe_kept)
  SELECT current_tenant(), given.id, %(project)s, %(kind)s, given.payload,
         CASE WHEN %(run_at)s::timestamptz > clock_timestamp() THEN 'scheduled' ELSE 'queued' END, %(priority)s, %(run_at)s,
         %(max_attempts)s, %(correlation)s, given.key, %(kept)s
    FROM given ORDER BY given.n
  ON CONFLICT (tenant_id, kind, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
  RETURNING id, status, dedupe_key
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch)
  SELECT current_tenant(), id, 'created', 1, 0 FROM enqueued
), woken AS (
  SELECT pg_notify(CASE max(status) WHEN 'scheduled' THEN 'windrow_jobs_scheduled' ELSE 'windrow_jobs_queued' END, '')
    FROM enqueued HAVING count(*) > 0
)
SELECT enqueued.dedupe_key AS key, enqueued.id::text AS id, (SELECT count(*) FROM woken) AS woken FROM enqueued;

-- keyed: who has these keys
SELECT dedupe_key AS key, id::text AS id FROM jobs
 WHERE tenant_id = current_tenant() AND kind = %(kind)s AND dedupe_key = ANY (%(keys)s::text[]);

-- queues: what waits, as kind and priority of a tenant, with the first in each line; found by leaping from one to the next,
-- so that it costs what there are queues, and not what there are jobs
WITH RECURSIVE queue AS (
  (SELECT tenant_id, kind, priority, seq FROM jobs
    WHERE status = 'queued' AND tenant_id > %(after)s
    ORDER BY tenant_id, kind, priority, seq LIMIT 1)
  UNION ALL
  SELECT following.* FROM queue CROSS JOIN LATERAL (
    SELECT job.tenant_id, job.kind, job.priority, job.seq FROM jobs AS job
     WHERE job.status = 'queued' AND (job.tenant_id, job.kind, job.priority) > (queue.tenant_id, queue.kind, queue.priority)
     ORDER BY job.tenant_id, job.kind, job.priority, job.seq LIMIT 1) AS following
)
SELECT tenant_id, kind, priority, seq AS floor FROM queue LIMIT %(most)s;

-- lock_limits: who counts what is running takes what it may before another counts
SELECT pg_advisory_xact_lock(hashtext('windrow.jobs.limits'));

-- in_hand: how many are being processed, where that is limited
SELECT tenant_id, kind, count(*) AS running FROM jobs WHERE status = 'processing' GROUP BY tenant_id, kind;

-- acquire: the first so many of each queue that nobody else is taking. Each queue is read from its floor: below it are only
-- the remains of jobs begun earlier, which an old transaction elsewhere may keep vacuum from clearing away.
WITH taken AS MATERIALIZED (
  SELECT first.at
    FROM unnest(%(tenants)s::text[], %(kinds)s::text[], %(priorities)s::smallint[], %(floors)s::bigint[], %(most)s::int[])
         AS queue (tenant_id, kind, priority, floor, most)
   CROSS JOIN LATERAL (
     SELECT job.ctid AS at FROM jobs AS job
      WHERE job.status = 'queued' AND job.tenant_id = queue.tenant_id AND job.kind = queue.kind
        AND job.priority = queue.priority AND job.seq >= queue.floor
      ORDER BY job.seq
      LIMIT queue.most
        FOR UPDATE SKIP LOCKED) AS first
), acquired AS (
  UPDATE jobs AS job
     SET status = 'processing', worker = %(worker)s, lease = %(lease)s, lease_epoch = job.lease_epoch + 1,
         last_heartbeat_at = clock_timestamp(), started_at = clock_timestamp(), progress = NULL
    FROM taken WHERE job.ctid = taken.at
  RETURNING job.tenant_id, job.project_id, job.id, job.kind, job.priority, job.seq, job.payload, job.attempt_count,
            job.lease_epoch, job.artifact, job.correlation_id
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
  SELECT tenant_id, id, 'processing', attempt_count, lease_epoch, %(worker)s FROM acquired
)
SELECT tenant_id, project_id, id::text AS job_id, kind, priority, seq, payload::text AS payload, attempt_count AS attempt,
       lease_epoch AS epoch, artifact, correlation_id
  FROM acquired;

-- start: one job by its id, if it waits, is of a kind that is known here, and nobody else is taking it
WITH taken AS MATERIALIZED (
  SELECT job.ctid AS at FROM jobs AS job
   WHERE job.tenant_id = %(tenant)s AND job.id = %(id)s AND job.status = 'queued' AND job.kind = ANY (%(known)s::text[])
     FOR UPDATE SKIP LOCKED
), acquired AS (
  UPDATE jobs AS job
     SET status = 'processing', worker = %(worker)s, lease = %(lease)s, lease_epoch = job.lease_epoch + 1,
         last_heartbeat_at = clock_timestamp(), started_at = clock_timestamp(), progress = NULL
    FROM taken WHERE job.ctid = taken.at
  RETURNING job.tenant_id, job.project_id, job.id, job.kind, job.priority, job.seq, job.payload, job.attempt_count,
            job.lease_epoch, job.artifact, job.correlation_id
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
  SELECT tenant_id, id, 'processing', attempt_count, lease_epoch, %(worker)s FROM acquired
)
SELECT tenant_id, project_id, id::text AS job_id, kind, priority, seq, payload::text AS payload, attempt_count AS attempt,
       lease_epoch AS epoch, artifact, correlation_id
  FROM acquired;

-- why_not: what prevented a start by id
SELECT status, status = 'processing' AND last_heartbeat_at + lease > clock_timestamp() AS fresh FROM jobs
 WHERE tenant_id = %(tenant)s AND id = %(id)s;

-- depth: how many wait, as far as that matters
SELECT count(*) FROM (SELECT FROM jobs WHERE status = 'queued' LIMIT %(most)s) AS waiting;

-- heartbeat: for all jobs in hand at once; who is not answered has lost its lease
UPDATE jobs AS job SET last_heartbeat_at = clock_timestamp()
  FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[]) AS held (tenant_id, id, epoch)
 WHERE job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch AND job.status || '' = 'processing'
RETURNING job.id::text AS job_id, job.lease_epoch AS epoch, job.cancel_requested_at IS NOT NULL AS cancelled;

-- source_ready: once for an execution, though it may be said again when an answer was lost
WITH held AS (
  UPDATE jobs SET last_heartbeat_at = clock_timestamp()
   WHERE tenant_id = current_tenant() AND id = %(id)s AND lease_epoch = %(epoch)s AND status || '' = 'processing'
  RETURNING id, attempt_count, worker, cancel_requested_at
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker, details)
  SELECT current_tenant(), held.id, 'source:ready', held.attempt_count, %(epoch)s, held.worker, %(details)s FROM held
   WHERE NOT EXISTS (SELECT FROM job_events AS said WHERE said.tenant_id = current_tenant() AND said.job_id = held.id
                        AND said.epoch = %(epoch)s AND said.event = 'source:ready')
)
SELECT cancel_requested_at IS NOT NULL AS cancelled FROM held;

-- progress: the last percent stays in the row, for whoever asks how it stands
WITH held AS (
  UPDATE jobs SET progress = %(percent)s
   WHERE tenant_id = current_tenant() AND id = %(id)s AND lease_epoch = %(epoch)s AND status || '' = 'processing'
  RETURNING id, attempt_count, worker, cancel_requested_at
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker, details)
  SELECT current_tenant(), id, 'progress', attempt_count, %(epoch)s, worker, jsonb_build_object('percent', %(percent)s::real)
    FROM held
)
SELECT cancel_requested_at IS NOT NULL AS cancelled FROM held;

-- name_artifact: from here on these bytes are the job's, whoever made others
WITH held AS (
  UPDATE jobs SET artifact = %(artifact)s
   WHERE tenant_id = current_tenant() AND id = %(id)s AND lease_epoch = %(epoch)s AND status || '' = 'processing'
  RETURNING id, attempt_count, worker, cancel_requested_at
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker, details)
  SELECT current_tenant(), held.id, 'uploaded', held.attempt_count, %(epoch)s, held.worker, %(artifact)s FROM held
   WHERE NOT EXISTS (SELECT FROM job_events AS said WHERE said.tenant_id = current_tenant() AND said.job_id = held.id
                        AND said.epoch = %(epoch)s AND said.event = 'uploaded' AND said.details = %(artifact)s)
)
SELECT cancel_requested_at IS NOT NULL AS cancelled FROM held;

-- done: all that ended well at about the same moment; answers those that were lost
WITH held AS MATERIALIZED (
  SELECT * FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[]) AS held (tenant_id, id, epoch)
), ended AS (
  UPDATE jobs AS job
     SET status = 'done', finished_at = clock_timestamp(), worker = NULL, cancel_requested_at = NULL,
         dedupe_key = CASE WHEN job.dedupe_kept THEN job.dedupe_key END
    FROM held
   WHERE job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch AND job.status || '' = 'processing'
  RETURNING job.tenant_id, job.id, job.attempt_count, job.lease_epoch
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
  SELECT tenant_id, id, 'done', attempt_count, lease_epoch, %(worker)s FROM ended
)
SELECT held.id::text AS job_id, held.epoch FROM held
 WHERE (SELECT count(*) FROM ended) < (SELECT count(*) FROM held) AND (held.id, held.epoch) NOT IN (SELECT id, lease_epoch FROM ended);

-- fail: tried again after its delay while tries are left (no delay: never), else given up; a cancelled one is not tried again
WITH ended AS (
  UPDATE jobs AS job
     SET status = job_verdict(job, held.delay), worker = NULL, cancel_requested_at = NULL,
         attempt_count = job.attempt_count + (job_verdict(job, held.delay) IN ('scheduled', 'queued'))::int,
         run_at = CASE job_verdict(job, held.delay) WHEN 'scheduled' THEN clock_timestamp() + held.delay END,
         failure_code = CASE job_verdict(job, held.delay) WHEN 'failed' THEN
                          CASE WHEN held.delay IS NULL THEN held.code ELSE 'RETRIES_EXHAUSTED' END END,
         finished_at = CASE WHEN job_verdict(job, held.delay) IN ('failed', 'cancelled') THEN clock_timestamp() END,
         dedupe_key = CASE WHEN job.dedupe_kept OR job_verdict(job, held.delay) IN ('scheduled', 'queued') THEN job.dedupe_key END,
         error_class = held.class, error_code = held.code, error = held.error, traceback = held.traceback
    FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[], %(delays)s::interval[], %(classes)s::text[],
                %(codes)s::text[], %(errors)s::text[], %(tracebacks)s::text[])
         AS held (tenant_id, id, epoch, delay, class, code, error, traceback)
   WHERE job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch AND job.status || '' = 'processing'
  RETURNING job.tenant_id, job.id, job.status, job.lease_epoch, job.failure_code, held.code,
            job.attempt_count - (job.status IN ('scheduled', 'queued'))::int AS attempt
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker, details)
  SELECT tenant_id, id, CASE WHEN status IN ('scheduled', 'queued') THEN 'requeued:error' ELSE status END, attempt, lease_epoch,
         %(worker)s, jsonb_strip_nulls(jsonb_build_object('code', code, 'failure_code', failure_code))
    FROM ended
)
SELECT id::text AS job_id, lease_epoch AS epoch, status, failure_code,
       CASE status WHEN 'scheduled' THEN pg_notify('windrow_jobs_scheduled', '')
                   WHEN 'queued' THEN pg_notify('windrow_jobs_queued', '') END AS woken
  FROM ended;

-- stop: somebody asked for it, and the worker has stopped
WITH ended AS (
  UPDATE jobs AS job
     SET status = 'cancelled', finished_at = clock_timestamp(), worker = NULL, cancel_requested_at = NULL,
         dedupe_key = CASE WHEN job.dedupe_kept THEN job.dedupe_key END
    FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[]) AS held (tenant_id, id, epoch)
   WHERE job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch AND job.status || '' = 'processing'
  RETURNING job.tenant_id, job.id, job.attempt_count, job.lease_epoch
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
  SELECT tenant_id, id, 'cancelled', attempt_count, lease_epoch, %(worker)s FROM ended
)
SELECT id::text AS job_id, lease_epoch AS epoch FROM ended;

-- hand_back: at a safe point of a clean shutdown; no attempt is lost, and it keeps its place in the line
WITH ended AS (
  UPDATE jobs AS job
     SET status = CASE WHEN job.cancel_requested_at IS NULL THEN 'queued' ELSE 'cancelled' END, worker = NULL,
         finished_at = CASE WHEN job.cancel_requested_at IS NOT NULL THEN clock_timestamp() END, cancel_requested_at = NULL,
         dedupe_key = CASE WHEN job.dedupe_kept OR job.cancel_requested_at IS NULL THEN job.dedupe_key END
    FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[]) AS held (tenant_id, id, epoch)
   WHERE job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch AND job.status || '' = 'processing'
  RETURNING job.tenant_id, job.id, job.status, job.attempt_count, job.lease_epoch
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
  SELECT tenant_id, id, CASE status WHEN 'queued' THEN 'requeued:handed_back' ELSE status END, attempt_count, lease_epoch,
         %(worker)s
    FROM ended
)
SELECT id::text AS job_id, lease_epoch AS epoch, pg_notify('windrow_jobs_queued', '') AS woken FROM ended;

-- abort: a shutdown that could not wait any longer; the lease runs out, and recovery counts the attempt
INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker)
SELECT job.tenant_id, job.id, 'aborted:shutdown', job.attempt_count, job.lease_epoch, %(worker)s
  FROM unnest(%(tenants)s::text[], %(ids)s::uuid[], %(epochs)s::int[]) AS held (tenant_id, id, epoch)
  JOIN jobs AS job ON job.tenant_id = held.tenant_id AND job.id = held.id AND job.lease_epoch = held.epoch
                  AND job.status || '' = 'processing'
RETURNING job_id::text;

-- recover: executions whose heart has stopped, of whatever kind: requeued, or given up when no try is left. A row that
-- somebody has locked is being written by its holder, who is alive.
WITH stale AS MATERIALIZED (
  SELECT job.ctid AS at, job.worker FROM jobs AS job
   WHERE job.status = 'processing' AND job.last_heartbeat_at + job.lease < clock_timestamp()
   LIMIT %(most)s
     FOR UPDATE SKIP LOCKED
), recovered AS (
  UPDATE jobs AS job
     SET status = job_verdict(job, interval '0'), worker = NULL, cancel_requested_at = NULL,
         attempt_count = job.attempt_count + (job_verdict(job, interval '0') = 'queued')::int,
         failure_code = CASE job_verdict(job, interval '0') WHEN 'failed' THEN 'RETRIES_EXHAUSTED' END,
         finished_at = CASE WHEN job_verdict(job, interval '0') <> 'queued' THEN clock_timestamp() END,
         dedupe_key = CASE WHEN job.dedupe_kept OR job_verdict(job, interval '0') = 'queued' THEN job.dedupe_key END,
         error_class = 'RetryableTransient', error_code = 'LEASE_LOST', traceback = NULL,
         error = format('%%s has not been heard of for %%s', stale.worker, job.lease)
    FROM stale WHERE job.ctid = stale.at
  RETURNING job.tenant_id, job.project_id, job.id, job.kind, job.status, job.lease_epoch, job.failure_code, stale.worker,
            job.attempt_count - (job.status = 'queued')::int AS attempt
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, worker, details)
  SELECT tenant_id, id, CASE status WHEN 'queued' THEN 'requeued:stale' ELSE status END, attempt, lease_epoch, worker,
         jsonb_strip_nulls(jsonb_build_object('code', 'LEASE_LOST', 'failure_code', failure_code))
    FROM recovered
)
SELECT tenant_id, project_id, id::text AS job_id, kind, status, attempt, worker,
       CASE status WHEN 'queued' THEN pg_notify('windrow_jobs_queued', '') END AS woken
  FROM recovered;

-- promote: what was scheduled and is due now joins the line, at the place of its age
WITH due AS MATERIALIZED (
  SELECT job.ctid AS at FROM jobs AS job
   WHERE job.status = 'scheduled' AND job.run_at <= clock_timestamp()
   ORDER BY job.run_at
   LIMIT %(most)s
     FOR UPDATE SKIP LOCKED
), promoted AS (
  UPDATE jobs AS job SET status = 'queued' FROM due WHERE job.ctid = due.at
  RETURNING job.id
)
SELECT count(*) AS promoted, CASE WHEN count(*) > 0 THEN pg_notify('windrow_jobs_queued', '') END AS woken FROM promoted;

-- next_moment: in how many seconds something will be due, or a lease that is not renewed until then will have run out
SELECT extract(epoch FROM least(
         (SELECT min(run_at) FROM jobs WHERE status = 'scheduled'),
         (SELECT min(last_heartbeat_at + lease) FROM jobs WHERE status = 'processing')) - clock_timestamp())::float;

-- cancel: one that waits is ended at once; one in hand is asked for, and its worker stops it
WITH asked AS (
  UPDATE jobs AS job
     SET status = CASE job.status WHEN 'processing' THEN 'processing' ELSE 'cancelled' END,
         cancel_requested_at = CASE job.status WHEN 'processing' THEN clock_timestamp() END,
         finished_at = CASE job.status WHEN 'processing' THEN NULL ELSE clock_timestamp() END,
         dedupe_key = CASE WHEN job.dedupe_kept OR job.status = 'processing' THEN job.dedupe_key END
   WHERE job.tenant_id = current_tenant() AND job.id = %(id)s AND job.status IN ('scheduled', 'queued', 'processing')
     AND job.cancel_requested_at IS NULL
  RETURNING job.id, job.project_id, job.status, job.attempt_count, job.lease_epoch
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, details)
  SELECT current_tenant(), id, CASE status WHEN 'processing' THEN 'cancel:requested' ELSE status END, attempt_count, lease_epoch,
         jsonb_build_object('actor', %(actor)s::text)
    FROM asked
)
SELECT project_id, status, CASE status WHEN 'processing' THEN pg_notify('windrow_jobs_cancelled', '') END AS woken FROM asked;

-- retry: a person's word; it gets as many tries as it had, and the count goes on. One that is being pruned stays as it is.
WITH retried AS (
  UPDATE jobs AS job
     SET status = 'queued', attempt_count = job.attempt_count + 1, max_attempts = job.attempt_count + %(tries)s,
         finished_at = NULL, failure_code = NULL, progress = NULL, run_at = NULL
   WHERE job.tenant_id = current_tenant() AND job.id = %(id)s AND job.status IN ('failed', 'cancelled')
     AND job.max_attempts > 0
  RETURNING job.id, job.project_id, job.attempt_count, job.lease_epoch
), told AS (
  INSERT INTO job_events (tenant_id, job_id, event, attempt, epoch, details)
  SELECT current_tenant(), id, 'requeued:retry', attempt_count, lease_epoch, jsonb_build_object('actor', %(actor)s::text)
    FROM retried
)
SELECT project_id, pg_notify('windrow_jobs_queued', '') AS woken FROM retried;

-- find: one job
SELECT id::text AS job_id, project_id, kind, payload, status, priority, run_at, dedupe_key, attempt_count, max_attempts,
       lease_epoch, worker, last_heartbeat_at, progress, artifact, cancel_requested_at, failure_code, error_class, error_code,
       error, traceback, correlation_id, created_at, started_at, finished_at
  FROM jobs WHERE tenant_id = current_tenant() AND id = %(id)s;

-- listed: newest first, a page at a time by the last id seen
SELECT id::text AS job_id, project_id, kind, payload, status, priority, run_at, dedupe_key, attempt_count, max_attempts,
       lease_epoch, worker, last_heartbeat_at, progress, artifact, cancel_requested_at, failure_code, error_class, error_code,
       error, traceback, correlation_id, created_at, started_at, finished_at
  FROM jobs
 WHERE tenant_id = current_tenant()
   AND (%(project)s::text IS NULL OR project_id = %(project)s)
   AND (%(status)s::text IS NULL OR status = %(status)s)
   AND (%(named)s::text IS NULL OR kind = %(named)s)
   AND (%(before)s::uuid IS NULL OR id < %(before)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- events: what befell one job since the last that was seen, in order
SELECT id, event, at, attempt, epoch, worker, details FROM job_events
 WHERE tenant_id = current_tenant() AND job_id = %(id)s AND id > %(after)s
 ORDER BY id;

-- counts: how many of each kind stand where
SELECT kind, status, count(*) AS jobs FROM jobs WHERE tenant_id = current_tenant() GROUP BY kind, status ORDER BY kind, status;

-- condemn: what ended long ago and left something elsewhere, which is to go before the row. From now on nobody can retry it,
-- or what a new try has made could be removed for what an old one has.
WITH old AS MATERIALIZED (
  SELECT job.tenant_id, job.id FROM jobs AS job
   WHERE job.finished_at < clock_timestamp() - %(keep)s::interval AND job.kind = ANY (%(kinds)s::text[])
     AND job.id <> ALL (%(kept)s::uuid[])
   ORDER BY job.finished_at
   LIMIT %(most)s
     FOR UPDATE SKIP LOCKED
)
UPDATE jobs AS job SET max_attempts = 0 FROM old WHERE job.tenant_id = old.tenant_id AND job.id = old.id
RETURNING job.tenant_id, job.id::text AS job_id, job.kind;

-- remove: those that were condemned, and that have left nothing elsewhere any more
WITH gone AS (
  DELETE FROM jobs AS job USING unnest(%(tenants)s::text[], %(ids)s::uuid[]) AS old (tenant_id, id)
   WHERE job.tenant_id = old.tenant_id AND job.id = old.id AND job.max_attempts = 0
  RETURNING job.tenant_id, job.id
), forgotten AS (
  DELETE FROM job_events AS event USING gone WHERE event.tenant_id = gone.tenant_id AND event.job_id = gone.id
)
SELECT count(*) FROM gone;

-- prune: what ended long ago, together with what was told of it
WITH old AS MATERIALIZED (
  SELECT job.tenant_id, job.id FROM jobs AS job
   WHERE job.finished_at < clock_timestamp() - %(keep)s::interval AND job.kind <> ALL (%(but)s::text[])
   ORDER BY job.finished_at
   LIMIT %(most)s
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM jobs AS job USING old WHERE job.tenant_id = old.tenant_id AND job.id = old.id
  RETURNING job.tenant_id, job.id
), forgotten AS (
  DELETE FROM job_events AS event USING gone WHERE event.tenant_id = gone.tenant_id AND event.job_id = gone.id
)
SELECT count(*) FROM gone;
