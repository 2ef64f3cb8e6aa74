-- Media jobs (EV-1 … EV-15). The row decides where a job stands; objects and messages follow it.
--
--   (new) ──► Queued ──► MetadataReady ──► Processing ──► Completed
--   Queued, MetadataReady, Processing ──► Failed, Cancelled        Failed, Cancelled ──(an operator's retry)──► Queued

CREATE TABLE media_jobs (
  tenant_id        text        COLLATE "C" NOT NULL,
  job_id           text        COLLATE "C" NOT NULL CHECK (job_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$'),
  project_id       text        COLLATE "C" NOT NULL,
  request_id       text        NOT NULL,
  media            jsonb       NOT NULL,
  clip             jsonb,
  stage            text        COLLATE "C" NOT NULL DEFAULT 'Queued',
  moves            integer     NOT NULL DEFAULT 0,
  snapshot         jsonb,
  metadata_version integer     NOT NULL DEFAULT 0,
  runtime_job_id   uuid,
  error            jsonb,
  attempts         integer     NOT NULL DEFAULT 0,
  not_before       timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 minute',
  claimed_until    timestamptz,
  mirrored         integer     NOT NULL DEFAULT 0,
  mirror_epoch     integer     NOT NULL DEFAULT 0,
  mirroring_until  timestamptz,
  correlation_id   text,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, job_id)
);
COMMENT ON TABLE media_jobs IS 'Media jobs as they stand. `UPDATE … WHERE stage = …` is what moves one, once.';
COMMENT ON COLUMN media_jobs.moves IS 'How often it has changed its stage; the number of its last event.';
COMMENT ON COLUMN media_jobs.attempts IS 'Enrichments that failed since it was queued, or handings over since it was enriched; a wait that a provider asked for is none.';
COMMENT ON COLUMN media_jobs.not_before IS 'When the sweep may take it up, as long as it is queued: a new one is left to its event for a while. Of an enriched one, when the conductor looks at it.';
COMMENT ON COLUMN media_jobs.claimed_until IS 'Until when one worker is at it. Only a courtesy: what moves the job is its stage alone. On one that is kept no longer, the last day of the calendar.';
COMMENT ON COLUMN media_jobs.mirrored IS 'The move that its objects show; less than `moves` means that there is something to mirror, less than none that anything may lie about.';
COMMENT ON COLUMN media_jobs.mirror_epoch IS 'Rises with every claim of the mirror; whoever finds another number than its own has been overtaken.';

CREATE INDEX media_jobs_queued ON media_jobs (not_before) WHERE stage = 'Queued';
CREATE INDEX media_jobs_unmirrored ON media_jobs (coalesce(mirroring_until, updated_at)) WHERE mirrored < moves;
CREATE INDEX media_jobs_enriched ON media_jobs (not_before) WHERE stage = 'MetadataReady';
CREATE INDEX media_jobs_processing ON media_jobs (updated_at) WHERE stage = 'Processing';
CREATE INDEX media_jobs_ended ON media_jobs (updated_at) WHERE stage IN ('MetadataReady', 'Completed', 'Failed', 'Cancelled');
CREATE INDEX media_jobs_newest ON media_jobs (tenant_id, created_at DESC, job_id DESC);

CREATE TABLE media_events (
  tenant_id  text        COLLATE "C" NOT NULL,
  job_id     text        COLLATE "C" NOT NULL,
  number     integer     NOT NULL,
  at         timestamptz NOT NULL,
  from_stage text        NOT NULL,
  to_stage   text        NOT NULL,
  details    jsonb       NOT NULL,
  PRIMARY KEY (tenant_id, job_id, number),
  -- the ways from stage to stage; the empty one is that of a job which is not there yet
  CONSTRAINT a_way_there_is CHECK ((from_stage, to_stage) IN (
    ('', 'Queued'),
    ('Queued', 'MetadataReady'), ('Queued', 'Failed'), ('Queued', 'Cancelled'),
    ('MetadataReady', 'Processing'), ('MetadataReady', 'Failed'), ('MetadataReady', 'Cancelled'),
    ('Processing', 'Completed'), ('Processing', 'Failed'), ('Processing', 'Cancelled'),
    ('Failed', 'Queued'), ('Cancelled', 'Queued'))),
  FOREIGN KEY (tenant_id, job_id) REFERENCES media_jobs ON DELETE CASCADE
);
COMMENT ON TABLE media_events IS 'Each change of stage, written by the change itself, which fails if there is no such way; the event objects are made from here.';

-- a job's moments rise strictly: they are the names of its event objects
CREATE FUNCTION media_counts_its_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.moves := 1;
    NEW.updated_at := clock_timestamp();
  ELSE
    NEW.moves := OLD.moves + 1;
    NEW.updated_at := greatest(clock_timestamp(), OLD.updated_at + interval '1 microsecond');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER counts_its_birth BEFORE INSERT ON media_jobs
  FOR EACH ROW EXECUTE FUNCTION media_counts_its_move();
CREATE TRIGGER counts_its_move BEFORE UPDATE OF stage ON media_jobs
  FOR EACH ROW WHEN (OLD.stage IS DISTINCT FROM NEW.stage) EXECUTE FUNCTION media_counts_its_move();

CREATE FUNCTION media_tells_its_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO media_events (tenant_id, job_id, number, at, from_stage, to_stage, details)
  VALUES (NEW.tenant_id, NEW.job_id, NEW.moves, NEW.updated_at,
          CASE WHEN TG_OP = 'INSERT' THEN '' ELSE OLD.stage END, NEW.stage,
          jsonb_strip_nulls(jsonb_build_object(
            'metadataVersion', CASE WHEN NEW.stage = 'MetadataReady' THEN NEW.metadata_version END,
            'runtimeJobId', CASE WHEN NEW.stage NOT IN ('Queued', 'MetadataReady') THEN NEW.runtime_job_id END,
            'error', CASE WHEN NEW.stage = 'Failed' THEN NEW.error END)));
  PERFORM pg_notify('windrow_media', '');
  RETURN NULL;
END $$;
CREATE TRIGGER tells_its_birth AFTER INSERT ON media_jobs
  FOR EACH ROW EXECUTE FUNCTION media_tells_its_move();
CREATE TRIGGER tells_its_move AFTER UPDATE OF stage ON media_jobs
  FOR EACH ROW WHEN (OLD.stage IS DISTINCT FROM NEW.stage) EXECUTE FUNCTION media_tells_its_move();

-- Take a queued job in hand, in one statement of its own. One that has failed waits for its time; a new one need not wait for
-- the sweep's. The claim is a courtesy: whoever loses it together with the server has lost nothing, so nobody waits for the disk.
CREATE FUNCTION media_claim(in_tenant text, in_job text, in_lasting interval) RETURNS SETOF media_jobs LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_tenant(in_tenant), set_config('synchronous_commit', 'off', true);
  RETURN QUERY
  UPDATE media_jobs AS job SET claimed_until = clock_timestamp() + in_lasting
   WHERE job.tenant_id = in_tenant AND job.job_id = in_job AND job.stage = 'Queued'
     AND (job.claimed_until IS NULL OR job.claimed_until < clock_timestamp())
     AND (job.error IS NULL OR job.not_before <= clock_timestamp())
  RETURNING job.*;
END $$;

-- Who probably speaks: in the media of a request, or in all of a channel.
CREATE TABLE speakers (
  tenant_id  text        COLLATE "C" NOT NULL,
  project_id text        COLLATE "C" NOT NULL,
  kind       text        COLLATE "C" NOT NULL CHECK (kind IN ('request', 'channel')),
  about      text        COLLATE "C" NOT NULL,
  name       text        NOT NULL,
  role       text        NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, project_id, kind, about, name)
);
COMMENT ON TABLE speakers IS 'The speaker registry: `about` is the id of a request or of a channel, as `kind` says.';

ALTER TABLE media_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE media_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON media_jobs TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON media_jobs TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON media_jobs TO windrow_app;
GRANT SELECT, UPDATE, DELETE ON media_jobs TO windrow_system;

ALTER TABLE media_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE media_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON media_events TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON media_events TO windrow_system USING (true);
GRANT SELECT, INSERT ON media_events TO windrow_app;
GRANT SELECT, DELETE ON media_events TO windrow_system;

ALTER TABLE speakers ENABLE ROW LEVEL SECURITY;
ALTER TABLE speakers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON speakers TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON speakers TO windrow_app;
