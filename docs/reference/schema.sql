-- drawn by `make docs` from the migrations: change those, not this file
CREATE SCHEMA windrow;

CREATE FUNCTION windrow.apart(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (said ~ '[a-z0-9][A-Z]'::text) THEN regexp_replace(said, '([a-z0-9])([A-Z])'::text, '\1 \2'::text, 'g'::text) ELSE said END;

CREATE FUNCTION windrow.apply_items(in_items jsonb, in_project text, in_endpoint text, in_source text, in_observation bigint, in_run text, in_fetched timestamp with time zone, in_connector text, in_connector_version text, in_spec text, in_relations integer, in_tombstones integer, in_raise boolean, in_later bigint, OUT created integer, OUT updated integer, OUT deleted integer, OUT unchanged integer, OUT outdated integer, OUT created_ids uuid[], OUT updated_ids uuid[], OUT deleted_ids uuid[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
  moment  timestamptz := clock_timestamp();
  total   integer := jsonb_array_length(in_items);
  same    integer;
  lacked  uuid[] := '{}';
BEGIN
  IF in_later IS NOT NULL THEN
    WITH listed AS (
      SELECT DISTINCT id FROM listing_pages p, unnest(p.item_ids) AS id
       WHERE p.tenant_id = current_tenant() AND p.project_id = in_project AND p.endpoint_id = in_endpoint AND p.generation = in_later
    )
    SELECT coalesce(array_agg(r.item_id), '{}') INTO lacked
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, deleted boolean)
     WHERE r.deleted IS NOT TRUE
       AND NOT EXISTS (SELECT FROM listed WHERE listed.id = r.item_id)
       AND NOT EXISTS (SELECT FROM items i WHERE i.tenant_id = current_tenant() AND i.item_id = r.item_id AND NOT i.deleted);
  END IF;

  WITH written AS (
    INSERT INTO items AS i (
      tenant_id, item_id, project_id, endpoint_id, source_system, entity_type, external_id, display_name, canonical_path, url,
      owners, labels, source_version, source_created_at, source_updated_at, deleted, attributes, content_hash, observation,
      run_id, fetched_at, connector, connector_version, spec_ref, first_run_id, first_seen_at, changed_at)
    SELECT current_tenant(), r.item_id, in_project, in_endpoint, in_source, r.entity_type, r.external_id, r.display_name,
           r.canonical_path, r.url, coalesce(r.owners, '{}'), coalesce(r.labels, '{}'), r.source_version, r.source_created_at,
           r.source_updated_at, false, coalesce(r.attributes, '{}'), r.content_hash, in_observation, in_run, in_fetched,
           in_connector, in_connector_version, in_spec, in_run, moment, moment
      FROM jsonb_to_recordset(in_items) AS r (
        item_id uuid, entity_type text, external_id text, display_name text, canonical_path text, url text, owners text[],
        labels text[], source_version text, source_created_at timestamptz, source_updated_at timestamptz, deleted boolean,
        attributes jsonb, content_hash text)
     WHERE r.deleted IS NOT TRUE AND r.item_id <> ALL (lacked)
     ORDER BY r.item_id
    ON CONFLICT (tenant_id, item_id) DO UPDATE
       SET source_system = excluded.source_system, entity_type = excluded.entity_type, display_name = excluded.display_name,
           canonical_path = excluded.canonical_path, url = excluded.url, owners = excluded.owners, labels = excluded.labels,
           source_version = excluded.source_version, source_created_at = excluded.source_created_at,
           source_updated_at = excluded.source_updated_at, deleted = false, attributes = excluded.attributes,
           content_hash = excluded.content_hash, observation = excluded.observation, run_id = excluded.run_id,
           fetched_at = excluded.fetched_at, connector = excluded.connector, connector_version = excluded.connector_version,
           spec_ref = excluded.spec_ref, changed_at = excluded.changed_at, revision = i.revision + 1
     WHERE i.content_hash <> excluded.content_hash AND i.observation <= excluded.observation
    RETURNING i.item_id, i.revision
  )
  SELECT coalesce(array_agg(w.item_id) FILTER (WHERE w.revision = 1), '{}'),
         coalesce(array_agg(w.item_id) FILTER (WHERE w.revision > 1), '{}'), '{}'
    INTO created_ids, updated_ids, deleted_ids
    FROM written w;

  IF in_tombstones > 0 THEN
    WITH gone AS (
      INSERT INTO items AS i (
        tenant_id, item_id, project_id, endpoint_id, source_system, entity_type, external_id, display_name, owners, labels,
        deleted, attributes, content_hash, observation, run_id, fetched_at, connector, connector_version, spec_ref,
        first_run_id, first_seen_at, changed_at)
      SELECT current_tenant(), r.item_id, in_project, in_endpoint, in_source, r.entity_type, r.external_id, r.display_name,
             '{}', '{}', true, '{}', r.content_hash, in_observation, in_run, in_fetched, in_connector, in_connector_version,
             in_spec, in_run, moment, moment
        FROM jsonb_to_recordset(in_items) AS r (
          item_id uuid, entity_type text, external_id text, display_name text, deleted boolean, content_hash text)
       WHERE r.deleted
       ORDER BY r.item_id
      ON CONFLICT (tenant_id, item_id) DO UPDATE
         SET deleted = true, content_hash = excluded.content_hash, observation = excluded.observation, run_id = excluded.run_id,
             fetched_at = excluded.fetched_at, changed_at = excluded.changed_at, revision = i.revision + 1
       WHERE i.content_hash <> excluded.content_hash AND i.observation <= excluded.observation
      RETURNING i.item_id
    )
    SELECT coalesce(array_agg(g.item_id), '{}') INTO deleted_ids FROM gone g;
  END IF;

  created := cardinality(created_ids);
  updated := cardinality(updated_ids);
  deleted := cardinality(deleted_ids);
  same := total;
  IF created + updated + deleted < total THEN
    IF in_raise THEN
      UPDATE items AS i SET observation = in_observation
        FROM (SELECT r.item_id, r.content_hash FROM jsonb_to_recordset(in_items) AS r (item_id uuid, content_hash text)
               ORDER BY r.item_id) AS r
       WHERE i.tenant_id = current_tenant() AND i.item_id = r.item_id AND i.content_hash = r.content_hash
         AND i.observation < in_observation;
    END IF;
    -- what was written says the same by now
    SELECT count(*) INTO same
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, content_hash text)
      JOIN items AS i ON i.tenant_id = current_tenant() AND i.item_id = r.item_id AND i.content_hash = r.content_hash;
  END IF;
  unchanged := same - created - updated - deleted;
  outdated := total - same;

  IF updated + deleted > 0 THEN
    DELETE FROM item_relations AS x WHERE x.tenant_id = current_tenant() AND x.item_id = ANY (updated_ids || deleted_ids);
  END IF;
  IF in_relations > 0 AND created + updated > 0 THEN
    INSERT INTO item_relations (tenant_id, item_id, type, target_id, target_external_id)
    SELECT current_tenant(), r.item_id, named.relation ->> 'type', (r.targets ->> (named.place::integer - 1))::uuid, named.relation ->> 'target'
      FROM jsonb_to_recordset(in_items) AS r (item_id uuid, relations jsonb, targets jsonb)
     CROSS JOIN LATERAL jsonb_array_elements(r.relations) WITH ORDINALITY AS named (relation, place)
     WHERE r.relations IS NOT NULL AND r.item_id = ANY (created_ids || updated_ids);
  END IF;
END $$;

CREATE FUNCTION windrow.as_phrase(said text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
  said := windrow.whole_and_apart(said);
  said := windrow.spaced(said);
  RETURN concat(' ', btrim(replace(replace(replace(said, '    ', ' '), '  ', ' '), '  ', ' ')), ' ');
END $$;

CREATE FUNCTION windrow.await_other_words() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    AS $$
BEGIN
  INSERT INTO search_backlog (tenant_id, item_ids)
  SELECT tenant_id, ids[n:n + 99]
    FROM (SELECT a.tenant_id, array_agg(a.item_id) AS ids
            FROM replaced b JOIN replacing a USING (tenant_id, item_id)
           WHERE (a.deleted, a.entity_type, a.display_name, a.canonical_path, a.owners, a.labels)
                 IS DISTINCT FROM (b.deleted, b.entity_type, b.display_name, b.canonical_path, b.owners, b.labels)
           GROUP BY a.tenant_id) AS w,
         generate_series(1, cardinality(ids), 100) AS n;
  RETURN NULL;
END $$;

CREATE FUNCTION windrow.await_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO search_backlog (tenant_id, item_ids)
  SELECT tenant_id, ids[n:n + 99]
    FROM (SELECT tenant_id, array_agg(item_id) AS ids FROM written GROUP BY tenant_id) AS w,
         generate_series(1, cardinality(ids), 100) AS n;
  RETURN NULL;
END $$;

CREATE FUNCTION windrow.current_tenant() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('windrow.tenant_id'::text, true), ''::text);

CREATE FUNCTION windrow.enter_tenant(tenant text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF current_tenant() IS DISTINCT FROM tenant THEN
    IF current_tenant() IS NOT NULL THEN
      RAISE insufficient_privilege USING MESSAGE = format('this transaction is tenant %s, not %s', current_tenant(), tenant);
    END IF;
    PERFORM set_config('windrow.tenant_id', tenant, true);
  END IF;
END $$;

CREATE TABLE windrow.items (
    tenant_id text NOT NULL,
    item_id uuid NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    source_system text NOT NULL,
    entity_type text NOT NULL,
    external_id text NOT NULL,
    display_name text NOT NULL,
    canonical_path text,
    url text,
    owners text[] NOT NULL,
    labels text[] NOT NULL,
    source_version text,
    source_created_at timestamp with time zone,
    source_updated_at timestamp with time zone,
    deleted boolean NOT NULL,
    attributes jsonb NOT NULL,
    content_hash text NOT NULL,
    observation bigint NOT NULL,
    run_id text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    connector text NOT NULL,
    connector_version text NOT NULL,
    spec_ref text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    first_run_id text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL
)
WITH (fillfactor='90');

ALTER TABLE ONLY windrow.items FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.items IS 'What the sources hold, as they said it last. An item that is gone stays as a tombstone, so that older news cannot bring it back.';

COMMENT ON COLUMN windrow.items.content_hash IS 'Of what the source says; news with the same hash writes nothing.';

COMMENT ON COLUMN windrow.items.observation IS 'Which request learnt this; news that was asked for earlier changes nothing.';

CREATE FUNCTION windrow.item_says(i windrow.items) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (jsonb_strip_nulls(jsonb_build_object('entity_type', (i).entity_type, 'display_name', (i).display_name, 'canonical_path', (i).canonical_path, 'url', (i).url, 'owners', (i).owners, 'labels', (i).labels, 'source_version', (i).source_version, 'source_created_at', (i).source_created_at, 'source_updated_at', (i).source_updated_at, 'deleted', (i).deleted)) || jsonb_build_object('attributes', (i).attributes));

CREATE FUNCTION windrow.item_words(tenant_id text, project_id text, item_id uuid, endpoint_id text, deleted boolean, entity_type text, external_id text, display_name text, canonical_path text, owners text[], labels text[]) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
  drawn CONSTANT integer := get_byte(uuid_send(item_id), 15) + 256 * (get_byte(uuid_send(item_id), 14) & 15);
  own   CONSTANT text := ' ' || windrow.words_owner(tenant_id, project_id, deleted)
    || CASE WHEN drawn >= 1024 THEN '6' WHEN drawn >= 256 THEN '5' WHEN drawn >= 64 THEN '4' WHEN drawn >= 16 THEN '3'
            WHEN drawn >= 4 THEN '2' WHEN drawn >= 1 THEN '1' ELSE '0' END;
  name  text := left(display_name, 300);
  id    text := external_id;
  other text;
  said  text;
  whole text := '';
BEGIN
  -- what repeats the path, or in the path the name, need not be indexed twice
  IF canonical_path IS NOT NULL THEN
    IF right(id, length(canonical_path)) = canonical_path THEN
      id := left(id, -length(canonical_path));
    END IF;
    IF right(canonical_path, length(display_name)) = display_name THEN
      canonical_path := left(canonical_path, -length(display_name));
    END IF;
  END IF;
  other := concat_ws(' ', entity_type, left(id, 300), right(canonical_path, 300),
                     left(array_to_string(labels, ' '), 300), left(array_to_string(owners, ' '), 300));
  name := windrow.whole_and_apart(name);
  name := windrow.spaced(name);
  other := windrow.whole_and_apart(other);
  other := windrow.spaced(other);
  FOREACH said IN ARRAY labels LOOP
    whole := whole || own || 'l' || left(md5(said), 16);
  END LOOP;
  FOREACH said IN ARRAY owners LOOP
    whole := whole || own || 'u' || left(md5(said), 16);
  END LOOP;
  RETURN array_to_tsvector(string_to_array(substr(own, 2) || '@' || endpoint_id
    || own || 'n' || replace(name, ' ', own || 'n')
    || own || 'o' || replace(other, ' ', own || 'o')
    || CASE WHEN strpos(name, ' ') = 0 THEN own || 'e' || name ELSE '' END
    || whole, ' '));
END $$;

CREATE FUNCTION windrow.new_job_id() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    RETURN uuidv7();

CREATE TABLE windrow.jobs (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    id uuid DEFAULT windrow.new_job_id() NOT NULL,
    seq bigint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    payload jsonb NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL COLLATE pg_catalog."C",
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone,
    dedupe_key text COLLATE pg_catalog."C",
    dedupe_kept boolean DEFAULT false NOT NULL,
    attempt_count integer DEFAULT 1 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    lease_epoch integer DEFAULT 0 NOT NULL,
    worker text,
    lease interval,
    last_heartbeat_at timestamp with time zone,
    progress real,
    artifact jsonb,
    cancel_requested_at timestamp with time zone,
    failure_code text,
    error_class text,
    error_code text,
    error text,
    traceback text,
    correlation_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT jobs_attempt_count_check CHECK ((attempt_count >= 1)),
    CONSTRAINT jobs_check CHECK (((status = 'processing'::text) = (worker IS NOT NULL))),
    CONSTRAINT jobs_check1 CHECK (((status = 'failed'::text) = (failure_code IS NOT NULL))),
    CONSTRAINT jobs_check2 CHECK (((status = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'queued'::text, 'processing'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='45', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000');

ALTER TABLE ONLY windrow.jobs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.jobs IS 'What is to be done, is being done and was done. Only the holder of the current lease epoch may say anything about a job that is being processed.';

COMMENT ON COLUMN windrow.jobs.seq IS 'In which order jobs of one kind and priority of a tenant are begun.';

COMMENT ON COLUMN windrow.jobs.dedupe_kept IS 'Whether the key stays taken after the job has ended, until the row is pruned.';

COMMENT ON COLUMN windrow.jobs.lease IS 'How long after its last heartbeat this execution is taken for dead: the word of the worker that has it.';

COMMENT ON COLUMN windrow.jobs.artifact IS 'What an execution has made, named under its fence: key, size, sha256, details. Only what is named here may be published.';

COMMENT ON COLUMN windrow.jobs.failure_code IS 'Why it is given up: the code of its last error, or RETRIES_EXHAUSTED.';

CREATE FUNCTION windrow.job_verdict(job windrow.jobs, delay interval) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((job).cancel_requested_at IS NOT NULL) THEN 'cancelled'::text WHEN ((delay IS NULL) OR ((job).attempt_count >= (job).max_attempts)) THEN 'failed'::text WHEN (delay > '00:00:00'::interval) THEN 'scheduled'::text ELSE 'queued'::text END;

CREATE FUNCTION windrow.keep_item_history() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    AS $$
BEGIN
  INSERT INTO item_history (tenant_id, item_id, revision, was, run_id, observation, fetched_at, seen_at, ended_at, ended_by)
  SELECT b.tenant_id, b.item_id, b.revision,
         jsonb_strip_nulls(jsonb_build_object(
           'entity_type', b.entity_type, 'display_name', b.display_name, 'canonical_path', b.canonical_path, 'url', b.url,
           'owners', b.owners, 'labels', b.labels, 'source_version', b.source_version,
           'source_created_at', b.source_created_at, 'source_updated_at', b.source_updated_at, 'deleted', b.deleted))
           || jsonb_build_object('attributes', b.attributes),
         b.run_id, b.observation, b.fetched_at, b.changed_at, a.changed_at, a.run_id
    FROM replaced b JOIN replacing a USING (tenant_id, item_id)
   WHERE a.content_hash <> b.content_hash;
  RETURN NULL;
END $$;

CREATE FUNCTION windrow.kv_expire(in_tenant text, in_keys text[]) RETURNS TABLE(key text, version bigint, purpose text, producer text, consumer_hints json, ttl_seconds integer, expired_at timestamp with time zone)
    LANGUAGE sql
    AS $$
  WITH due AS (
    SELECT d.* FROM kv d
     WHERE d.tenant_id = in_tenant AND d.key = ANY (in_keys) AND d.expires_at <= clock_timestamp()
     ORDER BY d.key FOR UPDATE SKIP LOCKED
  ), gone AS (
    UPDATE kv SET value = NULL, value_hash = NULL, expires_at = NULL, updated_at = clock_timestamp()
      FROM due WHERE kv.tenant_id = in_tenant AND kv.key = due.key
  ), audited AS (
    INSERT INTO audit_log (tenant_id, project_id, actor, authority, action, subject, before_hash, details)
    SELECT in_tenant, split_part(due.key, '/', 4), 'kv', 'ttl', 'kv.expire', due.key, due.value_hash,
           jsonb_build_object('version', due.version)
      FROM due
  )
  SELECT due.key, due.version, due.purpose, due.producer, due.consumer_hints, due.ttl_seconds, due.expires_at FROM due
$$;

CREATE FUNCTION windrow.kv_fingerprint_key(in_tenant text) RETURNS bytea
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM enter_tenant(in_tenant);
  IF NOT EXISTS (SELECT FROM kv_fingerprint_keys k WHERE k.tenant_id = in_tenant) THEN
    INSERT INTO kv_fingerprint_keys (tenant_id) VALUES (in_tenant) ON CONFLICT DO NOTHING;
  END IF;
  RETURN (SELECT k.secret FROM kv_fingerprint_keys k WHERE k.tenant_id = in_tenant);
END $$;

CREATE FUNCTION windrow.kv_live(value_hash text, expires_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql
    RETURN ((value_hash IS NOT NULL) AND ((expires_at IS NULL) OR (expires_at > clock_timestamp())));

CREATE TABLE windrow.kv (
    tenant_id text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    value json,
    value_hash text,
    purpose text NOT NULL,
    producer text NOT NULL,
    consumer_hints json NOT NULL,
    ttl_seconds integer,
    expires_at timestamp with time zone,
    last_writer text NOT NULL,
    request_id text NOT NULL,
    spec_ref text,
    updated_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY windrow.kv FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.kv IS 'Versioned values by key. Rows stay for ever, since they carry the version on: a value of NULL is a tombstone, an expiry in the past reads as absent.';

COMMENT ON COLUMN windrow.kv.value IS 'json, not jsonb: the text comes back as it was put, 1.0 as 1.0 and 1e22 as 1e22.';

CREATE FUNCTION windrow.kv_read(in_tenant text, in_key text) RETURNS SETOF windrow.kv
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM enter_tenant(in_tenant);
  RETURN QUERY SELECT kv.* FROM kv
                WHERE kv.tenant_id = in_tenant AND kv.key = in_key AND kv_live(kv.value_hash, kv.expires_at);
END $$;

CREATE FUNCTION windrow.kv_write(in_tenant text, in_key text, new_value json, new_hash text, expected bigint, in_request text, in_purpose text, in_producer text, in_hints json, in_ttl integer, in_writer text, in_spec text, in_actor text, in_authority text, in_correlation text, OUT outcome text, OUT at_version bigint, OUT found_value json, OUT found_purpose text, OUT lapsed json) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
  locked       boolean;
  seen_version bigint;
  seen_hash    text;
  seen_expiry  timestamptz;
  seen         bigint;
  moment       timestamptz;
  entered      text;
BEGIN
  IF current_tenant() IS NULL THEN
    entered := set_config('windrow.tenant_id', in_tenant, true); -- as enter_tenant does, without the price of a call
  ELSE
    PERFORM enter_tenant(in_tenant);
  END IF;
  LOOP
    SELECT kv.version, kv.value_hash, kv.expires_at, kv.purpose INTO seen_version, seen_hash, seen_expiry, found_purpose
      FROM kv
     WHERE kv.tenant_id = in_tenant AND kv.key = in_key
       AND (kv.version = expected OR expected = 0 AND NOT kv_live(kv.value_hash, kv.expires_at))
       FOR UPDATE;
    locked := FOUND;
    IF NOT locked THEN
      SELECT kv.version, kv.value_hash, kv.expires_at, kv.purpose, kv.value
        INTO seen_version, seen_hash, seen_expiry, found_purpose, found_value
        FROM kv WHERE kv.tenant_id = in_tenant AND kv.key = in_key;
    END IF;
    moment := clock_timestamp();
    -- what a reader would see: 0 for a tombstone, for what has run out, and where nothing ever was
    seen := CASE WHEN seen_hash IS NULL OR seen_expiry <= moment THEN 0 ELSE seen_version END;

    IF seen_version IS NULL AND expected = 0 THEN
      INSERT INTO kv (tenant_id, key, version, value, value_hash, purpose, producer, consumer_hints, ttl_seconds, expires_at,
                      last_writer, request_id, spec_ref, updated_at)
      VALUES (in_tenant, in_key, 1, new_value, new_hash, in_purpose, in_producer, in_hints, in_ttl,
              moment + make_interval(secs => in_ttl), in_writer, in_request, in_spec, moment)
      ON CONFLICT DO NOTHING;
      CONTINUE WHEN NOT FOUND; -- another created it meanwhile and has committed: the row is there now
      at_version := 1;
      INSERT INTO kv_requests (tenant_id, key, request_id, version, value_hash, created_at)
      VALUES (in_tenant, in_key, in_request, at_version, new_hash, moment);
      EXIT;
    END IF;

    IF seen = expected AND locked THEN
      at_version := seen_version + 1;
      INSERT INTO kv_requests (tenant_id, key, request_id, version, value_hash, created_at)
      VALUES (in_tenant, in_key, in_request, at_version, new_hash, moment)
      ON CONFLICT DO NOTHING;
      IF FOUND THEN
        IF seen = 0 AND seen_hash IS NOT NULL THEN
          SELECT row_to_json(e), NULL INTO lapsed, seen_hash FROM kv_expire(in_tenant, ARRAY[in_key]) e;
        END IF;
        UPDATE kv
           SET version = at_version, value = new_value, value_hash = new_hash, last_writer = in_writer, request_id = in_request,
               spec_ref = in_spec, updated_at = moment, purpose = coalesce(in_purpose, kv.purpose),
               producer = coalesce(in_producer, kv.producer), consumer_hints = coalesce(in_hints, kv.consumer_hints),
               ttl_seconds = in_ttl, expires_at = moment + make_interval(secs => in_ttl)
         WHERE kv.tenant_id = in_tenant AND kv.key = in_key;
        EXIT;
      END IF;
    END IF;

    SELECT r.version, CASE WHEN r.value_hash IS NOT DISTINCT FROM new_hash THEN 'replayed' ELSE 'reused' END
      INTO at_version, outcome
      FROM kv_requests r WHERE r.tenant_id = in_tenant AND r.key = in_key AND r.request_id = in_request;
    IF FOUND THEN
      found_value := NULL;
      RETURN;
    END IF;
    CONTINUE WHEN seen = expected; -- it came to the expected version since the first look
    outcome := 'stale';
    at_version := seen;
    IF seen = 0 THEN
      found_value := NULL;
    END IF;
    RETURN;
  END LOOP;

  outcome := 'stored';
  INSERT INTO audit_log (tenant_id, project_id, actor, authority, action, subject, before_hash, after_hash, spec_ref,
                         request_id, correlation_id, details)
  VALUES (in_tenant, split_part(in_key, '/', 4), in_actor, in_authority,
          CASE WHEN new_hash IS NULL THEN 'kv.delete' ELSE 'kv.put' END, in_key, seen_hash, new_hash, in_spec,
          in_request, in_correlation, jsonb_build_object('version', at_version));
END $$;

CREATE FUNCTION windrow.lease_acquire(in_tenant text, in_key text, in_holder text, in_ttl interval, in_slots integer, OUT at_slot integer, OUT at_epoch bigint, OUT at_expiry timestamp with time zone, OUT held_by text, OUT held_until timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
  bound     integer := in_slots;
  candidate integer;
  moment    timestamptz;
BEGIN
  PERFORM enter_tenant(in_tenant);
  IF NOT pg_try_advisory_xact_lock(hashtextextended(format('%s %s', in_key, in_holder), 0)) THEN
    held_by := in_holder; -- the same holder is acquiring at this moment
    RETURN;
  END IF;
  SELECT l.slot, l.holder, l.expires_at INTO candidate, held_by, held_until FROM leases l
   WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.holder = in_holder AND l.expires_at > clock_timestamp();
  IF FOUND THEN
    SELECT l.slot INTO at_slot FROM leases l
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = candidate AND l.holder = in_holder
       AND l.expires_at > clock_timestamp()
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  ELSE
    IF EXISTS (SELECT FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot >= in_slots
                  AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()) THEN
      SELECT coalesce(max(b), 0) INTO bound FROM generate_series(0, in_slots) b
       WHERE b + (SELECT count(*) FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot >= b
                     AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()) <= in_slots;
    END IF;
    SELECT l.slot INTO at_slot FROM leases l
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot < bound
       AND (l.holder IS NULL OR l.expires_at <= clock_timestamp())
     ORDER BY l.slot LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;

  moment := clock_timestamp();
  at_expiry := moment + in_ttl;
  IF at_slot IS NOT NULL THEN
    UPDATE leases l SET epoch = l.epoch + 1, holder = in_holder, ttl = in_ttl, acquired_at = moment, expires_at = at_expiry
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = at_slot
    RETURNING l.epoch INTO at_epoch;
    RETURN;
  END IF;
  FOR candidate IN
    SELECT s FROM generate_series(0, bound - 1) s
     WHERE NOT EXISTS (SELECT FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = s)
     ORDER BY s
  LOOP
    -- to insert a row that another transaction is inserting would wait for it; who has this lock is alone
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(format('%s %s', in_key, candidate), 1));
    INSERT INTO leases (tenant_id, key, slot, epoch, holder, ttl, acquired_at, expires_at)
    VALUES (in_tenant, in_key, candidate, 1, in_holder, in_ttl, moment, at_expiry)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      at_slot := candidate; at_epoch := 1;
      RETURN;
    END IF;
  END LOOP;
  SELECT l.holder, l.expires_at INTO held_by, held_until FROM leases l
   WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()
   ORDER BY l.expires_at LIMIT 1;
END $$;

CREATE FUNCTION windrow.lease_check(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text, OUT lost text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR KEY SHARE;
  lost := lease_lost(found_row, in_epoch, in_holder);
END $$;

CREATE TABLE windrow.leases (
    tenant_id text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    slot integer NOT NULL,
    epoch bigint NOT NULL,
    holder text,
    ttl interval NOT NULL,
    acquired_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT leases_check CHECK (starts_with(key, (('tenant/'::text || tenant_id) || '/project/'::text))),
    CONSTRAINT leases_epoch_check CHECK ((epoch > 0)),
    CONSTRAINT leases_slot_check CHECK ((slot >= 0))
)
WITH (fillfactor='70');

ALTER TABLE ONLY windrow.leases FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.leases IS 'One row for each slot ever used; rows stay, since they carry the epoch on. No holder: released. An expiry in the past: lost, whether or not another took it.';

CREATE FUNCTION windrow.lease_lost(l windrow.leases, in_epoch bigint, in_holder text) RETURNS text
    LANGUAGE sql
    RETURN CASE WHEN ((l).epoch IS DISTINCT FROM in_epoch) THEN 'superseded'::text WHEN ((l).holder IS NULL) THEN 'released'::text WHEN ((l).holder <> in_holder) THEN 'superseded'::text WHEN ((l).expires_at <= clock_timestamp()) THEN 'expired'::text ELSE NULL::text END;

CREATE FUNCTION windrow.lease_release(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text, OUT lost text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR NO KEY UPDATE;
  lost := lease_lost(found_row, in_epoch, in_holder);
  IF lost IS NULL THEN
    UPDATE leases l SET holder = NULL, expires_at = clock_timestamp()
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot;
  END IF;
END $$;

CREATE FUNCTION windrow.lease_renew(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text, OUT lost text, OUT at_expiry timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR NO KEY UPDATE;
  lost := lease_lost(found_row, in_epoch, in_holder);
  IF lost IS NULL THEN
    UPDATE leases l SET expires_at = clock_timestamp() + l.ttl
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot
    RETURNING l.expires_at INTO at_expiry;
  END IF;
END $$;

CREATE TABLE windrow.media_jobs (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL,
    media jsonb NOT NULL,
    clip jsonb,
    stage text DEFAULT 'Queued'::text NOT NULL COLLATE pg_catalog."C",
    moves integer DEFAULT 0 NOT NULL,
    snapshot jsonb,
    metadata_version integer DEFAULT 0 NOT NULL,
    runtime_job_id uuid,
    error jsonb,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT (clock_timestamp() + '00:01:00'::interval) NOT NULL,
    claimed_until timestamp with time zone,
    mirrored integer DEFAULT 0 NOT NULL,
    mirror_epoch integer DEFAULT 0 NOT NULL,
    mirroring_until timestamp with time zone,
    correlation_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT media_jobs_job_id_check CHECK ((job_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$'::text))
);

ALTER TABLE ONLY windrow.media_jobs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.media_jobs IS 'Media jobs as they stand. `UPDATE … WHERE stage = …` is what moves one, once.';

COMMENT ON COLUMN windrow.media_jobs.moves IS 'How often it has changed its stage; the number of its last event.';

COMMENT ON COLUMN windrow.media_jobs.attempts IS 'Enrichments that failed since it was queued, or handings over since it was enriched; a wait that a provider asked for is none.';

COMMENT ON COLUMN windrow.media_jobs.not_before IS 'When the sweep may take it up, as long as it is queued: a new one is left to its event for a while. Of an enriched one, when the conductor looks at it.';

COMMENT ON COLUMN windrow.media_jobs.claimed_until IS 'Until when one worker is at it. Only a courtesy: what moves the job is its stage alone. On one that is kept no longer, the last day of the calendar.';

COMMENT ON COLUMN windrow.media_jobs.mirrored IS 'The move that its objects show; less than `moves` means that there is something to mirror, less than none that anything may lie about.';

COMMENT ON COLUMN windrow.media_jobs.mirror_epoch IS 'Rises with every claim of the mirror; whoever finds another number than its own has been overtaken.';

CREATE FUNCTION windrow.media_claim(in_tenant text, in_job text, in_lasting interval) RETURNS SETOF windrow.media_jobs
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM enter_tenant(in_tenant), set_config('synchronous_commit', 'off', true);
  RETURN QUERY
  UPDATE media_jobs AS job SET claimed_until = clock_timestamp() + in_lasting
   WHERE job.tenant_id = in_tenant AND job.job_id = in_job AND job.stage = 'Queued'
     AND (job.claimed_until IS NULL OR job.claimed_until < clock_timestamp())
     AND (job.error IS NULL OR job.not_before <= clock_timestamp())
  RETURNING job.*;
END $$;

CREATE FUNCTION windrow.media_counts_its_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION windrow.media_tells_its_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE TABLE windrow.listing_pages (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    generation bigint NOT NULL,
    seq bigint NOT NULL,
    item_ids uuid[] NOT NULL
);
ALTER TABLE ONLY windrow.listing_pages ALTER COLUMN item_ids SET STORAGE EXTERNAL;

ALTER TABLE ONLY windrow.listing_pages FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.listing_pages IS 'Which items a listing has seen, a page a row.';

CREATE TABLE windrow.listings (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    generation bigint NOT NULL,
    lane text NOT NULL,
    run_id text NOT NULL,
    filters text NOT NULL,
    filters_since bigint NOT NULL,
    last_seq bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    items bigint DEFAULT 0 NOT NULL,
    missing bigint,
    known bigint,
    why text,
    begun_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    horizon bigint NOT NULL,
    CONSTRAINT listings_state_check CHECK ((state = ANY (ARRAY['open'::text, 'whole'::text, 'applied'::text, 'held'::text, 'abandoned'::text])))
);

ALTER TABLE ONLY windrow.listings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.listings IS 'One pass over all that an endpoint holds. Only a whole one, with unchanged filters, may say that something is gone.';

COMMENT ON COLUMN windrow.listings.generation IS 'The observation of its first request.';

COMMENT ON COLUMN windrow.listings.filters_since IS 'The first listing of the endpoint with these filters: what was written before it may have been shown by others.';

COMMENT ON COLUMN windrow.listings.state IS 'open: under way; whole: complete, not applied yet; applied: what was gone is deleted; held: too much would go, an operator decides; abandoned: partial, or its filters changed.';

COMMENT ON COLUMN windrow.listings.horizon IS 'What was asked for since it began, through any lane, has at least this observation.';

CREATE FUNCTION windrow.missing_items(in_project text, in_endpoint text, in_generation bigint, in_since bigint) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 WITH seen AS (
          SELECT DISTINCT id.id
            FROM windrow.listing_pages p,
             LATERAL unnest(p.item_ids) id(id)
           WHERE ((p.tenant_id = windrow.current_tenant()) AND (p.project_id = missing_items.in_project) AND (p.endpoint_id = missing_items.in_endpoint) AND (p.generation = missing_items.in_generation))
         ), shown_before AS (
          SELECT DISTINCT id.id
            FROM windrow.listing_pages p,
             LATERAL unnest(p.item_ids) id(id)
           WHERE ((p.tenant_id = windrow.current_tenant()) AND (p.project_id = missing_items.in_project) AND (p.endpoint_id = missing_items.in_endpoint) AND (p.generation >= missing_items.in_since) AND (p.generation < missing_items.in_generation))
         )
  SELECT i.item_id
    FROM windrow.items i
   WHERE ((i.tenant_id = windrow.current_tenant()) AND (i.project_id = missing_items.in_project) AND (i.endpoint_id = missing_items.in_endpoint) AND (NOT i.deleted) AND (i.observation < ( SELECT l.horizon
            FROM windrow.listings l
           WHERE ((l.tenant_id = windrow.current_tenant()) AND (l.project_id = missing_items.in_project) AND (l.endpoint_id = missing_items.in_endpoint) AND (l.generation = missing_items.in_generation)))) AND (NOT (EXISTS ( SELECT
            FROM seen
           WHERE (seen.id = i.item_id)))) AND ((i.observation >= missing_items.in_since) OR (EXISTS ( SELECT
            FROM shown_before
           WHERE (shown_before.id = i.item_id)))));
END;

CREATE FUNCTION windrow.note_scheduled_tenant() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO scheduled_tenants (tenant_id) SELECT DISTINCT tenant_id FROM added ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION windrow.observe(in_tenant text, in_project text, in_endpoint text, in_lane text, in_above text[], OUT observation bigint, OUT horizon bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
  own    bigint;
  drawn  bigint;
  yields bigint;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.floor INTO own FROM harvest_lanes l
   WHERE l.tenant_id = current_tenant() AND l.project_id = in_project AND l.endpoint_id = in_endpoint AND l.lane = in_lane;
  drawn := nextval('observation_seq');
  IF cardinality(in_above) > 0 THEN
    SELECT min(l.floor) + 1 INTO yields FROM harvest_lanes l
     WHERE l.tenant_id = current_tenant() AND l.project_id = in_project AND l.endpoint_id = in_endpoint AND l.lane = ANY (in_above);
  END IF;
  observation := greatest(own, least(drawn, yields)); -- NULLs do not count
  horizon := least(own + 1, observation);
END $$;

CREATE FUNCTION windrow.refusal_shape(reasons jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT "left"(md5(COALESCE(string_agg(DISTINCT told.shape, '
'::text ORDER BY told.shape), ''::text)), 12) AS "left" FROM (SELECT (concat_ws(' '::text, (reason.reason ->> 'why'::text), regexp_replace((reason.reason ->> 'path'::text), '/[0-9]+(?=/|$)'::text, '/*'::text, 'g'::text), regexp_replace((reason.reason ->> 'message'::text), '''[^'']*''|"[^"]*"|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*'::text, '*'::text, 'g'::text)) COLLATE "C") AS shape FROM jsonb_path_query(refusal_shape.reasons, '$[*]'::jsonpath) reason(reason)) told);

CREATE FUNCTION windrow.search_lots(project text, gone boolean, lots integer[], query text, enough integer, most integer) RETURNS TABLE(lot integer, item_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'windrow', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
  owner CONSTANT text := words_owner(current_tenant(), project, gone);
  given integer;
BEGIN
  FOREACH lot IN ARRAY lots LOOP
    PERFORM set_config('windrow.searched', replace(query, '~', owner || lot), true);
    IF row_security_active('search_words') THEN
      RETURN QUERY SELECT search_lots.lot, w.item_id FROM search_words w LIMIT most; -- the policy chooses
    ELSE -- an owner who is a superuser is above all policies
      RETURN QUERY SELECT search_lots.lot, w.item_id FROM search_words w
        WHERE w.tenant_id IS NOT DISTINCT FROM current_tenant() AND w.words @@ searched() LIMIT most;
    END IF;
    GET DIAGNOSTICS given = ROW_COUNT;
    most := most - given;
    enough := enough - given;
    EXIT WHEN enough <= 0 OR most <= 0;
  END LOOP;
  PERFORM set_config('windrow.searched', '', true);
END $$;

CREATE FUNCTION windrow.searched() RETURNS tsquery
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('windrow.searched'::text, true), ''::text))::tsquery;

CREATE FUNCTION windrow.spaced_beyond_ascii(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(NORMALIZE(said, NFKC), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f]+'::text, ' '::text, 'g'::text), '([^ ]{255})[^ ]+'::text, '\1'::text, 'g'::text);

CREATE FUNCTION windrow.spaced(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(replace(replace(replace(lower(CASE WHEN (said !~ '[^a-zA-Z0-9 /._:@-]'::text) THEN said WHEN (octet_length(said) = length(said)) THEN regexp_replace(said, '[^a-zA-Z0-9]+'::text, ' '::text, 'g'::text) ELSE windrow.spaced_beyond_ascii(said) END), '/'::text, ' '::text), '.'::text, ' '::text), '_'::text, ' '::text), '-'::text, ' '::text), ':'::text, ' '::text), '@'::text, ' '::text);

CREATE FUNCTION windrow.tell_schedules() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_notify('windrow_schedules', '');
  RETURN NULL;
END $$;

CREATE FUNCTION windrow.tidy_search() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'windrow', 'pg_temp'
    AS $$ SELECT gin_clean_pending_list('windrow.search_words_index') $$;

CREATE FUNCTION windrow.whole_and_apart(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (said ~ '[a-z0-9][A-Z]'::text) THEN ((said || ' '::text) || windrow.apart(said)) ELSE said END;

CREATE FUNCTION windrow.words_in(spaced text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_remove(string_to_array(spaced, ' '::text), ''::text);

CREATE FUNCTION windrow.words_owner(tenant_id text, project_id text, deleted boolean) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ("left"(md5(((tenant_id || '/'::text) || project_id)), 5) || CASE WHEN deleted THEN 'x'::text ELSE 'i'::text END);

CREATE TABLE windrow.audit_log (
    tenant_id text NOT NULL,
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    project_id text,
    actor text NOT NULL,
    authority text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    before_hash text,
    after_hash text,
    reason text,
    spec_ref text,
    request_id text,
    correlation_id text,
    details jsonb
);

ALTER TABLE ONLY windrow.audit_log FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.audit_log IS 'Who changed what, by which authority, and when: hashes of before and after, never values. Rows are only ever added.';

ALTER TABLE windrow.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME windrow.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE windrow.blobs (
    tenant_id text NOT NULL,
    blob_id uuid NOT NULL,
    project_id text NOT NULL,
    item_id uuid NOT NULL,
    state text DEFAULT 'requested'::text NOT NULL,
    media_type text NOT NULL,
    name text,
    announced_size bigint,
    announced_sha256 text,
    key text,
    size bigint,
    sha256 text,
    requested_by text NOT NULL,
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    uploaded_at timestamp with time zone,
    linked_at timestamp with time zone,
    tidy_at timestamp with time zone,
    CONSTRAINT blobs_announced_size_check CHECK ((announced_size >= 0)),
    CONSTRAINT blobs_check CHECK (((state <> ALL (ARRAY['uploaded'::text, 'linked'::text])) OR ((key IS NOT NULL) AND (size IS NOT NULL) AND (sha256 IS NOT NULL)))),
    CONSTRAINT blobs_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'uploaded'::text, 'linked'::text, 'expired'::text])))
);

ALTER TABLE ONLY windrow.blobs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.blobs IS 'Content of items: asked for, uploaded by a signed URL, linked. The object that `key` names is the blob, whatever else lies beside it.';

COMMENT ON COLUMN windrow.blobs.state IS 'requested: a URL was given; uploaded: its bytes are there and checked; linked: part of the item, announced; expired: never came, or could not be linked.';

COMMENT ON COLUMN windrow.blobs.expires_at IS 'Until when the upload URL is good.';

COMMENT ON COLUMN windrow.blobs.tidy_at IS 'When to look for what was left undone: requests nobody fulfilled, objects that no row names. NULL: nothing is left.';

CREATE TABLE windrow.dead_letters (
    tenant_id text NOT NULL,
    subscription text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    attempts integer NOT NULL,
    error_class text NOT NULL,
    code text NOT NULL,
    reason text NOT NULL,
    died_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY windrow.dead_letters FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.dead_letters IS 'Messages that a subscription could not deliver within its budget, and why. The message itself stays as long as its letter.';

CREATE TABLE windrow.endpoint_controls (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    jitter_seconds integer DEFAULT 0 NOT NULL,
    paused_at timestamp with time zone,
    paused_by text,
    paused_why text,
    halted_at timestamp with time zone,
    halted_code text,
    halted_why text,
    CONSTRAINT endpoint_controls_jitter_seconds_check CHECK (((jitter_seconds >= 0) AND (jitter_seconds <= 3600)))
);

ALTER TABLE ONLY windrow.endpoint_controls FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.endpoint_controls IS 'Paused: by an operator. Halted: by a failure that only a person can mend. Temporal forgets what its schedules were told; this table does not.';

CREATE TABLE windrow.endpoints (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    connector text NOT NULL,
    config jsonb NOT NULL,
    credential_ref text,
    schedule text,
    page_size integer,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    last_checked_at timestamp with time zone,
    removed_at timestamp with time zone
);

ALTER TABLE ONLY windrow.endpoints FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.endpoints IS 'A source that is harvested: connector, configuration, the name of its credential (never the credential), schedule. A removed one keeps its row, since its items carry its name.';

COMMENT ON COLUMN windrow.endpoints.version IS 'Rises with every edit, so that two editors cannot overwrite one another.';

CREATE TABLE windrow.harvest_runs (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    lane text NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    begun_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    pages bigint DEFAULT 0 NOT NULL,
    fetched bigint DEFAULT 0 NOT NULL,
    published bigint DEFAULT 0 NOT NULL,
    repeats bigint DEFAULT 0 NOT NULL,
    quarantined bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    outcome text,
    error_class text,
    code text,
    message text,
    settled jsonb
)
WITH (fillfactor='50');

ALTER TABLE ONLY windrow.harvest_runs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.harvest_runs IS 'What each run read, and how it ended. The counts rise in the transactions of the pages that they count.';

COMMENT ON COLUMN windrow.harvest_runs.settled IS 'What became of it in the catalog, as verified at the end: created, updated, deleted, unchanged, outdated, discarded.';

CREATE TABLE windrow.quarantine (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    id text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    lane text NOT NULL,
    run_id text NOT NULL,
    observation bigint NOT NULL,
    "position" text NOT NULL,
    external_id text,
    item_id uuid,
    reasons jsonb NOT NULL,
    excerpt text NOT NULL,
    record text,
    times integer DEFAULT 1 NOT NULL,
    first_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    shape text GENERATED ALWAYS AS (windrow.refusal_shape(reasons)) STORED NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT quarantine_state_check CHECK ((state = ANY (ARRAY['open'::text, 'retried'::text, 'overtaken'::text, 'dropped'::text])))
);

ALTER TABLE ONLY windrow.quarantine FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.quarantine IS 'Records that were refused, each with all its reasons, where it was in the source, and a redacted excerpt.';

COMMENT ON COLUMN windrow.quarantine.state IS 'overtaken: the source has said something valid about the same item since, so that a retry would bring back old news.';

COMMENT ON COLUMN windrow.quarantine.record IS 'The record as the connector gave it, redacted, as JSON; what a retry validates again. Absent where it cannot be kept.';

COMMENT ON COLUMN windrow.quarantine.shape IS 'Equal for records that were refused for the same reasons, whatever their values: by this people deal with many at once.';

CREATE TABLE windrow.sync_transitions (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    workflow_id text NOT NULL,
    number integer NOT NULL,
    state text NOT NULL,
    before text,
    run_id text,
    reason text,
    error_class text,
    code text,
    failures integer NOT NULL,
    next_retry_at timestamp with time zone,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY windrow.sync_transitions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.sync_transitions IS 'The lifecycle of each synchronisation, step by step; the last one of an endpoint says where it stands.';

CREATE VIEW windrow.endpoint_standings WITH (security_invoker='true') AS
 SELECT e.tenant_id,
    e.project_id,
    e.endpoint_id,
    e.connector,
    e.schedule,
    e.created_at,
    e.last_checked_at,
    COALESCE(c.time_zone, 'UTC'::text) AS time_zone,
    COALESCE(c.jitter_seconds, 0) AS jitter_seconds,
    c.paused_at,
    c.paused_by,
    c.paused_why,
    c.halted_at,
    c.halted_code,
    c.halted_why,
    step.state AS step,
    step.at AS step_at,
    step.reason AS step_reason,
    step.failures,
    step.next_retry_at,
    step.workflow_id,
    run.run_id,
    run.state AS run_state,
    run.outcome,
    run.begun_at,
    run.ended_at,
    run.code,
    run.message,
        CASE
            WHEN (c.halted_at IS NOT NULL) THEN 'halted'::text
            WHEN (run.state = 'running'::text) THEN 'running'::text
            WHEN ((step.state = 'Backoff'::text) AND (step.at >= run.begun_at)) THEN 'waiting'::text
            WHEN (c.paused_at IS NOT NULL) THEN 'paused'::text
            WHEN ((step.state = ANY (ARRAY['Pending'::text, 'Running'::text, 'WaitingCursorAdvance'::text])) AND (step.at > COALESCE(run.ended_at, '-infinity'::timestamp with time zone))) THEN 'running'::text
            WHEN (run.outcome = 'failed'::text) THEN 'failed'::text
            WHEN (run.outcome = 'done'::text) THEN 'well'::text
            WHEN (run.run_id IS NULL) THEN 'new'::text
            ELSE 'ended'::text
        END AS condition,
    ( SELECT w.ended_at
           FROM windrow.harvest_runs w
          WHERE ((w.tenant_id = e.tenant_id) AND (w.project_id = e.project_id) AND (w.endpoint_id = e.endpoint_id) AND (w.outcome = 'done'::text))
          ORDER BY w.begun_at DESC
         LIMIT 1) AS well_at,
    ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM windrow.quarantine q
                  WHERE ((q.tenant_id = e.tenant_id) AND (q.project_id = e.project_id) AND (q.endpoint_id = e.endpoint_id) AND (q.state = 'open'::text))
                 LIMIT 1000) waiting) AS quarantined
   FROM (((windrow.endpoints e
     LEFT JOIN windrow.endpoint_controls c USING (tenant_id, project_id, endpoint_id))
     LEFT JOIN LATERAL ( SELECT t.tenant_id,
            t.project_id,
            t.endpoint_id,
            t.workflow_id,
            t.number,
            t.state,
            t.before,
            t.run_id,
            t.reason,
            t.error_class,
            t.code,
            t.failures,
            t.next_retry_at,
            t.at
           FROM windrow.sync_transitions t
          WHERE ((t.tenant_id = e.tenant_id) AND (t.project_id = e.project_id) AND (t.endpoint_id = e.endpoint_id))
          ORDER BY t.at DESC, t.number DESC
         LIMIT 1) step ON (true))
     LEFT JOIN LATERAL ( SELECT r.tenant_id,
            r.run_id,
            r.project_id,
            r.endpoint_id,
            r.lane,
            r.state,
            r.begun_at,
            r.ended_at,
            r.pages,
            r.fetched,
            r.published,
            r.repeats,
            r.quarantined,
            r.bytes,
            r.outcome,
            r.error_class,
            r.code,
            r.message,
            r.settled
           FROM windrow.harvest_runs r
          WHERE ((r.tenant_id = e.tenant_id) AND (r.project_id = e.project_id) AND (r.endpoint_id = e.endpoint_id))
          ORDER BY r.begun_at DESC
         LIMIT 1) run ON (true))
  WHERE (e.removed_at IS NULL);

COMMENT ON VIEW windrow.endpoint_standings IS 'How each endpoint is, in one word: well, running, waiting, paused, halted, failed, ended, new; and what that follows from. At most 1000 are counted in quarantine.';

CREATE TABLE windrow.failed_runs (
    tenant_id text NOT NULL,
    run_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    code text NOT NULL,
    failed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY windrow.failed_runs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.failed_runs IS 'Which runs of a tenant failed lately. Counted one after the other, so that exactly the one that is too much pages; those of a week ago are deleted by the next.';

CREATE TABLE windrow.harvest_lanes (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    lane text NOT NULL,
    epoch bigint NOT NULL,
    floor bigint,
    run_id text,
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone
)
WITH (fillfactor='50');

ALTER TABLE ONLY windrow.harvest_lanes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.harvest_lanes IS 'One ordered flow into the catalog of one endpoint, as its harvester sees it: whoever raises the epoch makes those before him zombies.';

COMMENT ON COLUMN windrow.harvest_lanes.floor IS 'Nothing older than this observation can still be published here; NULL while no slice is under way.';

CREATE TABLE windrow.harvest_outbox (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    lane text NOT NULL,
    seq bigint NOT NULL,
    batch_id text NOT NULL,
    epoch bigint NOT NULL,
    observation bigint NOT NULL,
    run_id text NOT NULL,
    source_system text NOT NULL,
    connector text NOT NULL,
    connector_version text NOT NULL,
    spec_ref text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    items integer NOT NULL,
    relations integer NOT NULL,
    tombstones integer NOT NULL,
    bytes bigint NOT NULL,
    encoding text NOT NULL,
    payload bytea NOT NULL,
    generation bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    settled_at timestamp with time zone,
    created integer,
    updated integer,
    deleted integer,
    unchanged integer,
    outdated integer,
    CONSTRAINT harvest_outbox_encoding_check CHECK ((encoding = ANY (ARRAY['json'::text, 'zstd'::text]))),
    CONSTRAINT harvest_outbox_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processed'::text, 'discarded'::text])))
);
ALTER TABLE ONLY windrow.harvest_outbox ALTER COLUMN payload SET STORAGE EXTERNAL;

ALTER TABLE ONLY windrow.harvest_outbox FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.harvest_outbox IS 'Pages as batches, durable together with the cursor after them; persisted in order within their lane, and kept a while after that.';

COMMENT ON COLUMN windrow.harvest_outbox.seq IS 'The version of the cursor that this batch came with.';

COMMENT ON COLUMN windrow.harvest_outbox.batch_id IS 'A label for people; the same page from the same cursor has the same. Not a key.';

COMMENT ON COLUMN windrow.harvest_outbox.bytes IS 'The size of the JSON, before any compression.';

COMMENT ON COLUMN windrow.harvest_outbox.generation IS 'The listing that this batch completes: what is not in it may be gone.';

COMMENT ON COLUMN windrow.harvest_outbox.outdated IS 'Items of which the catalog had seen something newer, through another lane.';

CREATE TABLE windrow.idempotency_keys (
    tenant_id text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    response jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY windrow.idempotency_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.idempotency_keys IS 'What was answered to a request that carried a key, so that the same request again gets the same answer and no second effect.';

CREATE TABLE windrow.item_history (
    tenant_id text NOT NULL,
    item_id uuid NOT NULL,
    revision integer NOT NULL,
    was jsonb NOT NULL,
    run_id text NOT NULL,
    observation bigint NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    ended_by text NOT NULL
);

ALTER TABLE ONLY windrow.item_history FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.item_history IS 'Every revision of an item but the present one: what it was, from which run, until which run replaced it. What changed is the difference of two neighbours.';

CREATE TABLE windrow.item_relations (
    tenant_id text NOT NULL,
    item_id uuid NOT NULL,
    type text NOT NULL,
    target_id uuid NOT NULL,
    target_external_id text NOT NULL
);

ALTER TABLE ONLY windrow.item_relations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.item_relations IS 'What an item has to do with others of its endpoint. The target may not have been harvested yet.';

CREATE TABLE windrow.job_events (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    id bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempt integer NOT NULL,
    epoch integer NOT NULL,
    worker text,
    details jsonb
);

ALTER TABLE ONLY windrow.job_events FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.job_events IS 'What befell a job, in order: written by the statement that made it happen, while that holds the job''s row.';

ALTER TABLE windrow.job_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME windrow.job_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE windrow.jobs ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME windrow.jobs_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE windrow.kv_fingerprint_keys (
    tenant_id text NOT NULL,
    secret bytea DEFAULT decode(replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text), 'hex'::text) NOT NULL
);

ALTER TABLE ONLY windrow.kv_fingerprint_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.kv_fingerprint_keys IS 'What a tenant''s fingerprints are keyed with: without it a short token could be guessed from its fingerprint in a log.';

CREATE TABLE windrow.kv_requests (
    tenant_id text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    value_hash text,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY windrow.kv_requests FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.kv_requests IS 'The ledger: which request produced which version, and of what (no hash: a deletion). Successes only; a replay is answered from here.';

CREATE TABLE windrow.login_codes (
    tenant_id text NOT NULL,
    code_hash text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL,
    subject text NOT NULL,
    roles text[] NOT NULL,
    anywhere boolean NOT NULL,
    issued_by text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY windrow.login_codes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.login_codes IS 'Login links that nobody has opened yet: the hash of each code, and who is let in by it. Using one deletes its row.';

COMMENT ON COLUMN windrow.login_codes.anywhere IS 'Whether who is let in may look at other tenants: only for the operator of the machine.';

CREATE TABLE windrow.manual_triggers (
    tenant_id text NOT NULL,
    manual_trigger_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    workflow_id text NOT NULL,
    actor text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY windrow.manual_triggers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.manual_triggers IS 'Runs that people asked for: the same id twice is one run, also long after Temporal has forgotten the first.';

CREATE TABLE windrow.media_events (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    from_stage text NOT NULL,
    to_stage text NOT NULL,
    details jsonb NOT NULL,
    CONSTRAINT a_way_there_is CHECK ((((((((((((((from_stage = ''::text) AND (to_stage = 'Queued'::text)) OR ((from_stage = 'Queued'::text) AND (to_stage = 'MetadataReady'::text))) OR ((from_stage = 'Queued'::text) AND (to_stage = 'Failed'::text))) OR ((from_stage = 'Queued'::text) AND (to_stage = 'Cancelled'::text))) OR ((from_stage = 'MetadataReady'::text) AND (to_stage = 'Processing'::text))) OR ((from_stage = 'MetadataReady'::text) AND (to_stage = 'Failed'::text))) OR ((from_stage = 'MetadataReady'::text) AND (to_stage = 'Cancelled'::text))) OR ((from_stage = 'Processing'::text) AND (to_stage = 'Completed'::text))) OR ((from_stage = 'Processing'::text) AND (to_stage = 'Failed'::text))) OR ((from_stage = 'Processing'::text) AND (to_stage = 'Cancelled'::text))) OR ((from_stage = 'Failed'::text) AND (to_stage = 'Queued'::text))) OR ((from_stage = 'Cancelled'::text) AND (to_stage = 'Queued'::text))))
);

ALTER TABLE ONLY windrow.media_events FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.media_events IS 'Each change of stage, written by the change itself, which fails if there is no such way; the event objects are made from here.';

CREATE SEQUENCE windrow.message_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE windrow.message_seq IS 'In which order lines were appended to the topics'' logs: taken before the commit, so two lines may become visible in the other order.';

CREATE TABLE windrow.messages (
    tenant_id text NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    attributes json NOT NULL,
    published_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY windrow.messages FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.messages IS 'What was said. Written in the transaction of the change that it announces, never changed afterwards; the same id again is the same message.';

COMMENT ON COLUMN windrow.messages.key IS 'What the message is about: order holds within a key. A message without a key of its own has its id.';

CREATE TABLE windrow.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE windrow.object_store (
    is_the_one boolean DEFAULT true NOT NULL,
    store_id text NOT NULL,
    place text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT object_store_is_the_one_check CHECK (is_the_one)
);

COMMENT ON TABLE windrow.object_store IS 'The one object store whose objects the rows of this database name, by the id that lies in the store itself.';

COMMENT ON COLUMN windrow.object_store.place IS 'Where it lay when it was written down, for people: a store may be moved, and keeps its id.';

CREATE SEQUENCE windrow.observation_seq
    START WITH 1
    INCREMENT BY 2
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE windrow.outbox_lanes (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    lane text NOT NULL,
    served_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    stopped_at timestamp with time zone,
    stopped_seq bigint,
    stopped_code text,
    stopped_why text
)
WITH (fillfactor='50');

ALTER TABLE ONLY windrow.outbox_lanes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.outbox_lanes IS 'The same lane as its subscriber sees it. A row of its own, because subscriber and harvester each lock theirs: on one row, they would wait for one another.';

CREATE TABLE windrow.run_lines (
    tenant_id text NOT NULL,
    run_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    level text NOT NULL,
    event text NOT NULL,
    fields json NOT NULL,
    lasting boolean DEFAULT true NOT NULL
);

ALTER TABLE ONLY windrow.run_lines FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.run_lines IS 'Log lines about a run, redacted. Of very many the first, the latest and the serious ones are kept.';

COMMENT ON COLUMN windrow.run_lines.number IS 'The place among all that were said about the run: a gap is what was left out.';

COMMENT ON COLUMN windrow.run_lines.lasting IS 'Whether it stays, however many come after it; if not, only while it is among the latest.';

CREATE TABLE windrow.run_logs (
    tenant_id text NOT NULL,
    run_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL,
    lines bigint NOT NULL,
    serious bigint NOT NULL,
    last_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY windrow.run_logs FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.run_logs IS 'The log of each run: how many lines were said, and when the last one was written down. Whoever writes lines locks the row.';

COMMENT ON COLUMN windrow.run_logs.lines IS 'All that were said, also those that are not kept: the number of the latest.';

COMMENT ON COLUMN windrow.run_logs.serious IS 'Those of them that are warnings or worse.';

CREATE TABLE windrow.scheduled_tenants (
    tenant_id text NOT NULL
);

ALTER TABLE ONLY windrow.scheduled_tenants FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.scheduled_tenants IS 'Who has ever had an endpoint: whose schedules are to be looked at by whoever makes Temporal agree with them.';

CREATE TABLE windrow.search_backlog (
    tenant_id text NOT NULL,
    id bigint NOT NULL,
    item_ids uuid[] NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');

ALTER TABLE ONLY windrow.search_backlog FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.search_backlog IS 'Items that were written since their words were indexed, at most 100 a row. Whoever indexes them deletes it.';

ALTER TABLE windrow.search_backlog ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME windrow.search_backlog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE windrow.search_words (
    tenant_id text NOT NULL,
    item_id uuid NOT NULL,
    revision integer NOT NULL,
    words tsvector NOT NULL
);

ALTER TABLE ONLY windrow.search_words FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.search_words IS 'The words that an item is found by (item_words), as of one of its revisions.';

CREATE TABLE windrow.sessions (
    tenant_id text NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL,
    subject text NOT NULL,
    roles text[] NOT NULL,
    anywhere boolean NOT NULL,
    at_tenant text,
    at_project text,
    opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sessions_check CHECK (((at_tenant IS NULL) = (at_project IS NULL))),
    CONSTRAINT sessions_check1 CHECK (((at_tenant IS NULL) OR anywhere))
)
WITH (fillfactor='70');

ALTER TABLE ONLY windrow.sessions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.sessions IS 'Browsers that are logged in to the console: the hash of what the cookie holds, never the cookie. Logging out deletes the row.';

COMMENT ON COLUMN windrow.sessions.at_tenant IS 'Where it looks, if not at home.';

COMMENT ON COLUMN windrow.sessions.seen_at IS 'When somebody last asked for a page, to the minute; a page that renews itself does not count.';

CREATE TABLE windrow.speakers (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    about text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    role text NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT speakers_kind_check CHECK ((kind = ANY (ARRAY['request'::text, 'channel'::text])))
);

ALTER TABLE ONLY windrow.speakers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.speakers IS 'The speaker registry: `about` is the id of a request or of a channel, as `kind` says.';

CREATE TABLE windrow.strands (
    tenant_id text NOT NULL,
    subscription text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    done bigint NOT NULL,
    due_at timestamp with time zone NOT NULL,
    claim uuid,
    claimed_by text,
    attempts integer DEFAULT 0 NOT NULL,
    settled boolean DEFAULT false NOT NULL,
    error_class text,
    error_code text,
    error text,
    failed_at timestamp with time zone,
    queue text GENERATED ALWAYS AS (((tenant_id || '/'::text) || subscription)) STORED NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT strands_attempts_check CHECK ((attempts >= 0))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');

ALTER TABLE ONLY windrow.strands FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.strands IS 'One subscription''s messages of one key, delivered one at a time, in order. A row is there while something may be left to deliver.';

COMMENT ON COLUMN windrow.strands.done IS 'Everything up to this position is delivered, or is a dead letter.';

COMMENT ON COLUMN windrow.strands.due_at IS 'When the next message may be claimed: at once, after a failure''s delay, or when the claim that holds it runs out.';

COMMENT ON COLUMN windrow.strands.claim IS 'The fence: new with every claim, and named by whoever settles. NULL: in nobody''s hand.';

COMMENT ON COLUMN windrow.strands.attempts IS 'Claims of the next message so far.';

COMMENT ON COLUMN windrow.strands.settled IS 'A message was just settled: the router looks whether there is another, and deletes the row if not.';

COMMENT ON COLUMN windrow.strands.queue IS 'Tenant and subscription as one, for the index by time: as with the log.';

CREATE TABLE windrow.subscriptions (
    tenant_id text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    topic text NOT NULL COLLATE pg_catalog."C",
    sink text COLLATE pg_catalog."C",
    ack_deadline interval NOT NULL,
    retry_first interval NOT NULL,
    retry_ceiling interval NOT NULL,
    retry_attempts integer,
    retry_factor double precision NOT NULL,
    retry_spread double precision NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT subscriptions_ack_deadline_check CHECK ((ack_deadline > '00:00:00'::interval)),
    CONSTRAINT subscriptions_check CHECK ((retry_ceiling >= retry_first)),
    CONSTRAINT subscriptions_retry_attempts_check CHECK ((retry_attempts > 0)),
    CONSTRAINT subscriptions_retry_factor_check CHECK ((retry_factor >= (1)::double precision)),
    CONSTRAINT subscriptions_retry_first_check CHECK ((retry_first >= '00:00:00'::interval)),
    CONSTRAINT subscriptions_retry_spread_check CHECK (((retry_spread >= (0)::double precision) AND (retry_spread <= (1)::double precision)))
);

ALTER TABLE ONLY windrow.subscriptions FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.subscriptions IS 'Who wants a topic''s messages: a sink that the relay pushes to, or (no sink) consumers that pull. How long a claim lasts, and when a failed delivery is tried again.';

CREATE TABLE windrow.tidings (
    tenant_id text NOT NULL,
    project_id text NOT NULL,
    endpoint_id text NOT NULL,
    seq bigint NOT NULL,
    delivery_id text NOT NULL,
    refs jsonb NOT NULL,
    heard_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    looked_up_at timestamp with time zone,
    CONSTRAINT tidings_delivery_id_check CHECK ((length(delivery_id) <= 200))
);

ALTER TABLE ONLY windrow.tidings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.tidings IS 'Deliveries of sources, each once: what of the source is to be looked at. Kept a week after that, since a source may deliver again.';

ALTER TABLE windrow.tidings ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME windrow.tidings_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE windrow.topic_log (
    tenant_id text NOT NULL,
    topic text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    subscription text COLLATE pg_catalog."C",
    appended_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    "position" bigint,
    routed_at timestamp with time zone,
    log text GENERATED ALWAYS AS (((tenant_id || '/'::text) || topic)) STORED NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT topic_log_check CHECK ((("position" IS NULL) = (routed_at IS NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.05');

ALTER TABLE ONLY windrow.topic_log FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.topic_log IS 'In which order. A line has no position until its transaction has committed and the router has seen it, so whoever reads up to a position has missed nothing below it.';

COMMENT ON COLUMN windrow.topic_log.subscription IS 'For this subscription alone: a dead letter that was put back. NULL: for all.';

COMMENT ON COLUMN windrow.topic_log.log IS 'Tenant and topic as one, for the index by position: before a table''s first ANALYZE the planner cannot tell it from the one by key if both begin with tenant and topic, and a wrong guess reads the whole topic for every message.';

CREATE TABLE windrow.topics (
    tenant_id text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    keep interval,
    last_position bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT topics_keep_check CHECK ((keep >= '00:00:00'::interval))
);

ALTER TABLE ONLY windrow.topics FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.topics IS 'Where messages are published. The row''s lock is the right to give positions and to insert or delete strands.';

COMMENT ON COLUMN windrow.topics.keep IS 'How long delivered messages stay; NULL: as long as the process that purges says.';

ALTER TABLE ONLY windrow.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY windrow.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (tenant_id, blob_id);

ALTER TABLE ONLY windrow.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (tenant_id, subscription, message_id);

ALTER TABLE ONLY windrow.endpoint_controls
    ADD CONSTRAINT endpoint_controls_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id);

ALTER TABLE ONLY windrow.endpoints
    ADD CONSTRAINT endpoints_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id);

ALTER TABLE ONLY windrow.failed_runs
    ADD CONSTRAINT failed_runs_pkey PRIMARY KEY (tenant_id, run_id);

ALTER TABLE ONLY windrow.harvest_lanes
    ADD CONSTRAINT harvest_lanes_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, lane);

ALTER TABLE ONLY windrow.harvest_outbox
    ADD CONSTRAINT harvest_outbox_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, lane, seq);

ALTER TABLE ONLY windrow.harvest_runs
    ADD CONSTRAINT harvest_runs_pkey PRIMARY KEY (tenant_id, run_id);

ALTER TABLE ONLY windrow.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY windrow.item_history
    ADD CONSTRAINT item_history_pkey PRIMARY KEY (tenant_id, item_id, revision);

ALTER TABLE ONLY windrow.item_relations
    ADD CONSTRAINT item_relations_pkey PRIMARY KEY (tenant_id, item_id, type, target_id);

ALTER TABLE ONLY windrow.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (tenant_id, item_id);

ALTER TABLE ONLY windrow.job_events
    ADD CONSTRAINT job_events_pkey PRIMARY KEY (tenant_id, job_id, id);

ALTER TABLE ONLY windrow.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY windrow.kv_fingerprint_keys
    ADD CONSTRAINT kv_fingerprint_keys_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY windrow.kv
    ADD CONSTRAINT kv_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY windrow.kv_requests
    ADD CONSTRAINT kv_requests_pkey PRIMARY KEY (tenant_id, key, request_id);

ALTER TABLE ONLY windrow.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (tenant_id, key, slot);

ALTER TABLE ONLY windrow.listing_pages
    ADD CONSTRAINT listing_pages_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, generation, seq);

ALTER TABLE ONLY windrow.listings
    ADD CONSTRAINT listings_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, generation);

ALTER TABLE ONLY windrow.login_codes
    ADD CONSTRAINT login_codes_pkey PRIMARY KEY (tenant_id, code_hash);

ALTER TABLE ONLY windrow.manual_triggers
    ADD CONSTRAINT manual_triggers_pkey PRIMARY KEY (tenant_id, manual_trigger_id);

ALTER TABLE ONLY windrow.media_events
    ADD CONSTRAINT media_events_pkey PRIMARY KEY (tenant_id, job_id, number);

ALTER TABLE ONLY windrow.media_jobs
    ADD CONSTRAINT media_jobs_pkey PRIMARY KEY (tenant_id, job_id);

ALTER TABLE ONLY windrow.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, topic, message_id);

ALTER TABLE ONLY windrow.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY windrow.object_store
    ADD CONSTRAINT object_store_pkey PRIMARY KEY (is_the_one);

ALTER TABLE ONLY windrow.outbox_lanes
    ADD CONSTRAINT outbox_lanes_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, lane);

ALTER TABLE ONLY windrow.quarantine
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, id);

ALTER TABLE ONLY windrow.run_lines
    ADD CONSTRAINT run_lines_pkey PRIMARY KEY (tenant_id, run_id, number);

ALTER TABLE ONLY windrow.run_logs
    ADD CONSTRAINT run_logs_pkey PRIMARY KEY (tenant_id, run_id);

ALTER TABLE ONLY windrow.scheduled_tenants
    ADD CONSTRAINT scheduled_tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY windrow.search_backlog
    ADD CONSTRAINT search_backlog_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY windrow.search_words
    ADD CONSTRAINT search_words_pkey PRIMARY KEY (tenant_id, item_id);

ALTER TABLE ONLY windrow.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, token_hash);

ALTER TABLE ONLY windrow.speakers
    ADD CONSTRAINT speakers_pkey PRIMARY KEY (tenant_id, project_id, kind, about, name);

ALTER TABLE ONLY windrow.strands
    ADD CONSTRAINT strands_pkey PRIMARY KEY (tenant_id, subscription, key);

ALTER TABLE ONLY windrow.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (tenant_id, name);

ALTER TABLE ONLY windrow.sync_transitions
    ADD CONSTRAINT sync_transitions_pkey PRIMARY KEY (tenant_id, workflow_id, number);

ALTER TABLE ONLY windrow.tidings
    ADD CONSTRAINT tidings_pkey PRIMARY KEY (tenant_id, project_id, endpoint_id, seq);

ALTER TABLE ONLY windrow.topic_log
    ADD CONSTRAINT topic_log_pkey PRIMARY KEY (tenant_id, seq);

ALTER TABLE ONLY windrow.topics
    ADD CONSTRAINT topics_pkey PRIMARY KEY (tenant_id, name);

CREATE INDEX audit_log_action ON windrow.audit_log USING btree (tenant_id, action, id);

CREATE INDEX audit_log_actor ON windrow.audit_log USING btree (tenant_id, actor, id);

CREATE INDEX audit_log_at ON windrow.audit_log USING btree (tenant_id, at);

CREATE INDEX audit_log_subject ON windrow.audit_log USING btree (tenant_id, subject, id);

CREATE INDEX blobs_of_item ON windrow.blobs USING btree (tenant_id, item_id, requested_at);

CREATE INDEX blobs_recent ON windrow.blobs USING btree (tenant_id, project_id, requested_at, blob_id);

CREATE INDEX blobs_untidy ON windrow.blobs USING btree (tidy_at) WHERE (tidy_at IS NOT NULL);

CREATE INDEX dead_letters_died ON windrow.dead_letters USING btree (tenant_id, died_at);

CREATE INDEX dead_letters_message ON windrow.dead_letters USING btree (tenant_id, topic, message_id);

CREATE INDEX failed_runs_lately ON windrow.failed_runs USING btree (tenant_id, failed_at);

CREATE INDEX harvest_outbox_pace ON windrow.harvest_outbox USING btree (tenant_id, project_id, settled_at) INCLUDE (created, updated, deleted, unchanged) WHERE (status <> 'pending'::text);

CREATE INDEX harvest_outbox_pending ON windrow.harvest_outbox USING btree (tenant_id, project_id, endpoint_id, lane, seq) INCLUDE (bytes, observation) WHERE (status = 'pending'::text);

CREATE INDEX harvest_outbox_run ON windrow.harvest_outbox USING btree (tenant_id, run_id, seq);

CREATE INDEX harvest_outbox_settled ON windrow.harvest_outbox USING btree (settled_at) WHERE (status <> 'pending'::text);

CREATE INDEX harvest_runs_endpoint ON windrow.harvest_runs USING btree (tenant_id, project_id, endpoint_id, begun_at);

CREATE INDEX harvest_runs_latest ON windrow.harvest_runs USING btree (tenant_id, project_id, begun_at, run_id) INCLUDE (outcome);

CREATE INDEX harvest_runs_well ON windrow.harvest_runs USING btree (tenant_id, project_id, endpoint_id, begun_at) WHERE (outcome = 'done'::text);

CREATE INDEX item_history_recent ON windrow.item_history USING btree (tenant_id, ended_at);

CREATE INDEX item_relations_target ON windrow.item_relations USING btree (tenant_id, target_id, type);

CREATE INDEX items_gone ON windrow.items USING btree (tenant_id, project_id, endpoint_id, entity_type) WHERE deleted;

CREATE INDEX items_new ON windrow.items USING btree (tenant_id, project_id, first_seen_at);

CREATE INDEX items_of_endpoint ON windrow.items USING btree (tenant_id, project_id, endpoint_id, entity_type);

CREATE UNIQUE INDEX jobs_dedupe ON windrow.jobs USING btree (tenant_id, kind, dedupe_key) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX jobs_finished ON windrow.jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX jobs_given_up ON windrow.jobs USING btree (tenant_id, finished_at) WHERE (status = 'failed'::text);

CREATE INDEX jobs_processing ON windrow.jobs USING btree (tenant_id, kind) WHERE (status = 'processing'::text);

CREATE INDEX jobs_queued ON windrow.jobs USING btree (tenant_id, kind, priority, seq) WHERE (status = 'queued'::text);

CREATE INDEX jobs_scheduled ON windrow.jobs USING btree (run_at) WHERE (status = 'scheduled'::text);

CREATE INDEX kv_expiry ON windrow.kv USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX media_jobs_ended ON windrow.media_jobs USING btree (updated_at) WHERE (stage = ANY (ARRAY['MetadataReady'::text, 'Completed'::text, 'Failed'::text, 'Cancelled'::text]));

CREATE INDEX media_jobs_enriched ON windrow.media_jobs USING btree (not_before) WHERE (stage = 'MetadataReady'::text);

CREATE INDEX media_jobs_newest ON windrow.media_jobs USING btree (tenant_id, created_at DESC, job_id DESC);

CREATE INDEX media_jobs_of_project ON windrow.media_jobs USING btree (tenant_id, project_id, created_at DESC, job_id DESC);

CREATE INDEX media_jobs_processing ON windrow.media_jobs USING btree (updated_at) WHERE (stage = 'Processing'::text);

CREATE INDEX media_jobs_queued ON windrow.media_jobs USING btree (not_before) WHERE (stage = 'Queued'::text);

CREATE INDEX media_jobs_standing ON windrow.media_jobs USING btree (tenant_id, project_id, stage, created_at DESC, job_id DESC);

CREATE INDEX media_jobs_unmirrored ON windrow.media_jobs USING btree (COALESCE(mirroring_until, updated_at)) WHERE (mirrored < moves);

CREATE INDEX messages_told ON windrow.messages USING btree (tenant_id, published_at, message_id) WHERE starts_with(topic, 'notify.'::text);

CREATE INDEX quarantine_latest ON windrow.quarantine USING btree (tenant_id, project_id, state, last_at DESC, endpoint_id, id);

CREATE INDEX quarantine_open ON windrow.quarantine USING btree (tenant_id, project_id, endpoint_id, item_id) WHERE ((state = 'open'::text) AND (item_id IS NOT NULL));

CREATE INDEX quarantine_recent ON windrow.quarantine USING btree (tenant_id, last_at);

CREATE INDEX quarantine_shapes ON windrow.quarantine USING btree (tenant_id, project_id, state, shape, last_at DESC, endpoint_id, id);

CREATE INDEX quarantine_waiting ON windrow.quarantine USING btree (tenant_id, project_id, endpoint_id, last_at) WHERE (state = 'open'::text);

CREATE INDEX run_logs_old ON windrow.run_logs USING btree (last_at);

CREATE INDEX search_backlog_oldest ON windrow.search_backlog USING btree (id);

CREATE INDEX search_words_index ON windrow.search_words USING gin (words) WITH (fastupdate='on', gin_pending_list_limit='16384');

CREATE INDEX strands_due ON windrow.strands USING btree (tenant_id, queue, due_at);

CREATE INDEX strands_settled ON windrow.strands USING btree (tenant_id, topic) WHERE settled;

CREATE INDEX subscriptions_sink ON windrow.subscriptions USING btree (sink) WHERE (sink IS NOT NULL);

CREATE INDEX subscriptions_topic ON windrow.subscriptions USING btree (tenant_id, topic);

CREATE INDEX sync_transitions_latest ON windrow.sync_transitions USING btree (tenant_id, project_id, endpoint_id, at);

CREATE INDEX tidings_old ON windrow.tidings USING btree (looked_up_at) WHERE (looked_up_at IS NOT NULL);

CREATE UNIQUE INDEX tidings_once ON windrow.tidings USING btree (tenant_id, project_id, endpoint_id, delivery_id);

CREATE INDEX tidings_waiting ON windrow.tidings USING btree (tenant_id, project_id, endpoint_id, seq) WHERE (looked_up_at IS NULL);

CREATE INDEX topic_log_key ON windrow.topic_log USING btree (tenant_id, topic, key, "position") WHERE ("position" IS NOT NULL);

CREATE UNIQUE INDEX topic_log_position ON windrow.topic_log USING btree (tenant_id, log, "position") WHERE ("position" IS NOT NULL);

CREATE INDEX topic_log_put_back ON windrow.topic_log USING btree (tenant_id, topic, message_id) WHERE (subscription IS NOT NULL);

CREATE INDEX topic_log_unrouted ON windrow.topic_log USING btree (tenant_id, topic, seq) WHERE ("position" IS NULL);

CREATE TRIGGER counts_its_birth BEFORE INSERT ON windrow.media_jobs FOR EACH ROW EXECUTE FUNCTION windrow.media_counts_its_move();

CREATE TRIGGER counts_its_move BEFORE UPDATE OF stage ON windrow.media_jobs FOR EACH ROW WHEN ((old.stage IS DISTINCT FROM new.stage)) EXECUTE FUNCTION windrow.media_counts_its_move();

CREATE TRIGGER history AFTER UPDATE ON windrow.items REFERENCING OLD TABLE AS replaced NEW TABLE AS replacing FOR EACH STATEMENT EXECUTE FUNCTION windrow.keep_item_history();

CREATE TRIGGER schedules AFTER INSERT OR UPDATE OF paused_at, halted_at, time_zone, jitter_seconds ON windrow.endpoint_controls FOR EACH STATEMENT EXECUTE FUNCTION windrow.tell_schedules();

CREATE TRIGGER schedules AFTER INSERT OR UPDATE OF schedule, removed_at ON windrow.endpoints FOR EACH STATEMENT EXECUTE FUNCTION windrow.tell_schedules();

CREATE TRIGGER tells_its_birth AFTER INSERT ON windrow.media_jobs FOR EACH ROW EXECUTE FUNCTION windrow.media_tells_its_move();

CREATE TRIGGER tells_its_move AFTER UPDATE OF stage ON windrow.media_jobs FOR EACH ROW WHEN ((old.stage IS DISTINCT FROM new.stage)) EXECUTE FUNCTION windrow.media_tells_its_move();

CREATE TRIGGER tenants AFTER INSERT ON windrow.endpoints REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION windrow.note_scheduled_tenant();

CREATE TRIGGER words_of_changed AFTER UPDATE ON windrow.items REFERENCING OLD TABLE AS replaced NEW TABLE AS replacing FOR EACH STATEMENT EXECUTE FUNCTION windrow.await_other_words();

CREATE TRIGGER words_of_new AFTER INSERT ON windrow.items REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION windrow.await_words();

ALTER TABLE ONLY windrow.media_events
    ADD CONSTRAINT media_events_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES windrow.media_jobs(tenant_id, job_id) ON DELETE CASCADE;

ALTER TABLE ONLY windrow.run_lines
    ADD CONSTRAINT run_lines_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES windrow.run_logs(tenant_id, run_id) ON DELETE CASCADE;

ALTER TABLE ONLY windrow.subscriptions
    ADD CONSTRAINT subscriptions_tenant_id_topic_fkey FOREIGN KEY (tenant_id, topic) REFERENCES windrow.topics(tenant_id, name);

ALTER TABLE windrow.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.blobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.dead_letters ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.endpoint_controls ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.endpoints ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.failed_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.harvest_lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.harvest_outbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.harvest_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.item_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.item_relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.items ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.job_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv_fingerprint_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.leases ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.listing_pages ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.listings ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.login_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.manual_triggers ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.media_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.media_jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.outbox_lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.quarantine ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.run_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.run_logs ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.scheduled_tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.search_backlog ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.search_words ENABLE ROW LEVEL SECURITY;

CREATE POLICY searched ON windrow.search_words FOR SELECT TO windrow USING (((NOT (tenant_id IS DISTINCT FROM windrow.current_tenant())) AND (words @@ windrow.searched())));

ALTER TABLE windrow.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.speakers ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.strands ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.subscriptions ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.sync_transitions ENABLE ROW LEVEL SECURITY;

CREATE POLICY system ON windrow.blobs TO windrow_system USING (true);

CREATE POLICY system ON windrow.harvest_outbox TO windrow_system USING (true);

CREATE POLICY system ON windrow.idempotency_keys TO windrow_system USING (true);

CREATE POLICY system ON windrow.job_events TO windrow_system USING (true);

CREATE POLICY system ON windrow.jobs TO windrow_system USING (true);

CREATE POLICY system ON windrow.kv FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.kv_requests TO windrow_system USING (true);

CREATE POLICY system ON windrow.media_events TO windrow_system USING (true);

CREATE POLICY system ON windrow.media_jobs TO windrow_system USING (true);

CREATE POLICY system ON windrow.outbox_lanes TO windrow_system USING (true);

CREATE POLICY system ON windrow.run_logs TO windrow_system USING (true);

CREATE POLICY system ON windrow.scheduled_tenants FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.search_backlog TO windrow_system USING (true);

CREATE POLICY system ON windrow.strands FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.subscriptions FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.tidings TO windrow_system USING (true);

CREATE POLICY system ON windrow.topic_log FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.topics FOR SELECT TO windrow_system USING (true);

CREATE POLICY tenant ON windrow.audit_log TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.blobs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.dead_letters TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.endpoint_controls TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.endpoints TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.failed_runs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.harvest_lanes TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.harvest_outbox TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.harvest_runs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.idempotency_keys TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.item_history TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.item_relations TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.items TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.job_events TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.jobs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv_fingerprint_keys TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv_requests TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.leases TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.listing_pages TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.listings TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.login_codes TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.manual_triggers TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.media_events TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.media_jobs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.messages TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.outbox_lanes TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.quarantine TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.run_lines TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.run_logs TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.scheduled_tenants TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.search_backlog TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.search_words TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.sessions TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.speakers TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.strands TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.subscriptions TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.sync_transitions TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.tidings TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.topic_log TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.topics TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

ALTER TABLE windrow.tidings ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.topic_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.topics ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA windrow TO windrow_app;
GRANT USAGE ON SCHEMA windrow TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.items TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.jobs TO windrow_app;
GRANT SELECT,DELETE,UPDATE ON TABLE windrow.jobs TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.kv TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(key) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(version) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(expires_at) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.leases TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.media_jobs TO windrow_app;
GRANT SELECT,DELETE,UPDATE ON TABLE windrow.media_jobs TO windrow_system;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.listing_pages TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.listings TO windrow_app;

REVOKE ALL ON FUNCTION windrow.search_lots(project text, gone boolean, lots integer[], query text, enough integer, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION windrow.search_lots(project text, gone boolean, lots integer[], query text, enough integer, most integer) TO windrow_app;

REVOKE ALL ON FUNCTION windrow.tidy_search() FROM PUBLIC;
GRANT ALL ON FUNCTION windrow.tidy_search() TO windrow_app;
GRANT ALL ON FUNCTION windrow.tidy_search() TO windrow_system;

GRANT SELECT,INSERT ON TABLE windrow.audit_log TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.blobs TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.blobs TO windrow_system;

GRANT SELECT(blob_id) ON TABLE windrow.blobs TO windrow_system;

GRANT SELECT(tidy_at),UPDATE(tidy_at) ON TABLE windrow.blobs TO windrow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.dead_letters TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.endpoint_controls TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.endpoints TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.harvest_runs TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.quarantine TO windrow_app;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.sync_transitions TO windrow_app;

GRANT SELECT ON TABLE windrow.endpoint_standings TO windrow_app;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.failed_runs TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.harvest_lanes TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.harvest_outbox TO windrow_app;
GRANT DELETE ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(tenant_id) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(project_id) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(endpoint_id) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(lane) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(seq) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(bytes) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(status) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(created_at) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT(settled_at) ON TABLE windrow.harvest_outbox TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.idempotency_keys TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.idempotency_keys TO windrow_system;

GRANT SELECT,INSERT ON TABLE windrow.item_history TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.item_relations TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.job_events TO windrow_app;
GRANT SELECT,INSERT,DELETE ON TABLE windrow.job_events TO windrow_system;

GRANT SELECT,INSERT ON TABLE windrow.kv_fingerprint_keys TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.kv_requests TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.kv_requests TO windrow_system;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.login_codes TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.manual_triggers TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.media_events TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.media_events TO windrow_system;

GRANT USAGE ON SEQUENCE windrow.message_seq TO windrow_app;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.messages TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.object_store TO windrow_system;

GRANT UPDATE(store_id) ON TABLE windrow.object_store TO windrow_system;

GRANT UPDATE(place) ON TABLE windrow.object_store TO windrow_system;

GRANT UPDATE(since) ON TABLE windrow.object_store TO windrow_system;

GRANT USAGE ON SEQUENCE windrow.observation_seq TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.outbox_lanes TO windrow_app;
GRANT SELECT ON TABLE windrow.outbox_lanes TO windrow_system;

GRANT UPDATE(served_at) ON TABLE windrow.outbox_lanes TO windrow_system;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.run_lines TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.run_logs TO windrow_app;
GRANT DELETE ON TABLE windrow.run_logs TO windrow_system;

GRANT SELECT(tenant_id) ON TABLE windrow.run_logs TO windrow_system;

GRANT SELECT(run_id) ON TABLE windrow.run_logs TO windrow_system;

GRANT SELECT(last_at) ON TABLE windrow.run_logs TO windrow_system;

GRANT SELECT,INSERT ON TABLE windrow.scheduled_tenants TO windrow_app;
GRANT SELECT ON TABLE windrow.scheduled_tenants TO windrow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.search_backlog TO windrow_app;
GRANT SELECT,UPDATE ON TABLE windrow.search_backlog TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.search_words TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.sessions TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.speakers TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.strands TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(subscription) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(key) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(topic) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(done) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(due_at) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(settled) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT(queue) ON TABLE windrow.strands TO windrow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.subscriptions TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.subscriptions TO windrow_system;

GRANT SELECT(name) ON TABLE windrow.subscriptions TO windrow_system;

GRANT SELECT(topic) ON TABLE windrow.subscriptions TO windrow_system;

GRANT SELECT(sink) ON TABLE windrow.subscriptions TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.tidings TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.tidings TO windrow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.topic_log TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT(topic) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT(seq) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT(key) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT(subscription) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT(appended_at) ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT("position") ON TABLE windrow.topic_log TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.topics TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.topics TO windrow_system;

GRANT SELECT(name) ON TABLE windrow.topics TO windrow_system;

GRANT SELECT(keep) ON TABLE windrow.topics TO windrow_system;
