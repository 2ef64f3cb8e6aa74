-- Jobs: work that survives its worker.
--
--   enqueue ─► scheduled ──(due)──► queued ──(acquire)──► processing ──► done
--                  ▲                  ▲                     │ │ │ └────► failed
--                  └──(error, tries are left: backoff)──────┘ │ └──────► cancelled
--                                     └──(stale, handed back)─┘
--   scheduled, queued ──(cancel)──► cancelled        failed, cancelled ──(an operator's retry)──► queued
--
-- `attempt_count` counts executions; `lease_epoch` rises at every acquisition and is the fence: whatever is said about a
-- job in hand names it, and a number that is not the row's changes nothing. docs/explanation/jobs.md tells the protocol.

-- Ids of one time stand together in the index, however large the table grows; made here, by this server's clock.
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    CREATE FUNCTION new_job_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE RETURN uuidv7();
  ELSE -- the same by hand, at ten times the price: milliseconds, then chance, then the version
    CREATE FUNCTION new_job_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN encode(
      set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid())
                PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1),
      'hex')::uuid;
  END IF;
END $$;

CREATE TABLE jobs (
  tenant_id           text        COLLATE "C" NOT NULL,
  id                  uuid        NOT NULL DEFAULT new_job_id(),
  seq                 bigint      GENERATED ALWAYS AS IDENTITY,
  project_id          text        COLLATE "C" NOT NULL,
  kind                text        COLLATE "C" NOT NULL,
  payload             jsonb       NOT NULL,
  status              text        COLLATE "C" NOT NULL DEFAULT 'queued'
                                  CHECK (status IN ('scheduled', 'queued', 'processing', 'done', 'failed', 'cancelled')),
  priority            smallint    NOT NULL DEFAULT 0,
  run_at              timestamptz,
  dedupe_key          text        COLLATE "C",
  dedupe_kept         boolean     NOT NULL DEFAULT false,
  attempt_count       integer     NOT NULL DEFAULT 1 CHECK (attempt_count >= 1),
  max_attempts        integer     NOT NULL DEFAULT 3,
  lease_epoch         integer     NOT NULL DEFAULT 0,
  worker              text        CHECK ((status = 'processing') = (worker IS NOT NULL)),
  lease               interval,
  last_heartbeat_at   timestamptz,
  progress            real,
  artifact            jsonb,
  cancel_requested_at timestamptz,
  failure_code        text        CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  error_class         text,
  error_code          text,
  error               text,
  traceback           text,
  correlation_id      text,
  created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at          timestamptz,
  finished_at         timestamptz CHECK ((status IN ('done', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  PRIMARY KEY (tenant_id, id)
) WITH (fillfactor = 45, -- jobs in hand stand side by side, and one heartbeat writes all of them anew: room for each, in its page
        autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE jobs IS 'What is to be done, is being done and was done. Only the holder of the current lease epoch may say anything about a job that is being processed.';
COMMENT ON COLUMN jobs.seq IS 'In which order jobs of one kind and priority of a tenant are begun.';
COMMENT ON COLUMN jobs.lease IS 'How long after its last heartbeat this execution is taken for dead: the word of the worker that has it.';
COMMENT ON COLUMN jobs.dedupe_kept IS 'Whether the key stays taken after the job has ended, until the row is pruned.';
COMMENT ON COLUMN jobs.artifact IS 'What an execution has made, named under its fence: key, size, sha256, details. Only what is named here may be published.';
COMMENT ON COLUMN jobs.failure_code IS 'Why it is given up: the code of its last error, or RETRIES_EXHAUSTED.';

-- What becomes of a job whose execution has failed: after `delay` it is tried again while tries are left; without one never.
CREATE FUNCTION job_verdict(job jobs, delay interval) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN (job).cancel_requested_at IS NOT NULL THEN 'cancelled'
  WHEN delay IS NULL OR (job).attempt_count >= (job).max_attempts THEN 'failed'
  WHEN delay > interval '0' THEN 'scheduled'
  ELSE 'queued'
END;

-- last_heartbeat_at is in no index: with one, no heartbeat could be written in place
CREATE INDEX jobs_queued ON jobs (tenant_id, kind, priority, seq) WHERE status = 'queued';
CREATE INDEX jobs_processing ON jobs (tenant_id, kind) WHERE status = 'processing';
CREATE INDEX jobs_scheduled ON jobs (run_at) WHERE status = 'scheduled';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_dedupe ON jobs (tenant_id, kind, dedupe_key) WHERE dedupe_key IS NOT NULL;

ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON jobs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON jobs TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON jobs TO windrow_app;
GRANT SELECT, UPDATE, DELETE ON jobs TO windrow_system;

CREATE TABLE job_events (
  tenant_id text        COLLATE "C" NOT NULL,
  job_id    uuid        NOT NULL,
  id        bigint      GENERATED ALWAYS AS IDENTITY,
  event     text        COLLATE "C" NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempt   integer     NOT NULL,
  epoch     integer     NOT NULL,
  worker    text,
  details   jsonb,
  PRIMARY KEY (tenant_id, job_id, id)
);
COMMENT ON TABLE job_events IS 'What befell a job, in order: written by the statement that made it happen, while that holds the job''s row.';
ALTER TABLE job_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON job_events TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON job_events TO windrow_system USING (true);
GRANT SELECT, INSERT ON job_events TO windrow_app;
GRANT SELECT, INSERT, DELETE ON job_events TO windrow_system;
