-- drawn by `make docs` from the migrations: change those, not this file
CREATE SCHEMA windrow;

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

CREATE TABLE windrow.audit_log (
    tenant_id text NOT NULL,
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    project_id text,
    actor text NOT NULL,
    authority text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
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

CREATE TABLE windrow.idempotency_keys (
    tenant_id text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    response jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY windrow.idempotency_keys FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE windrow.idempotency_keys IS 'What was answered to a request that carried a key, so that the same request again gets the same answer and no second effect.';

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

ALTER TABLE ONLY windrow.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (tenant_id, subscription, message_id);

ALTER TABLE ONLY windrow.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY windrow.kv_fingerprint_keys
    ADD CONSTRAINT kv_fingerprint_keys_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY windrow.kv
    ADD CONSTRAINT kv_pkey PRIMARY KEY (tenant_id, key);

ALTER TABLE ONLY windrow.kv_requests
    ADD CONSTRAINT kv_requests_pkey PRIMARY KEY (tenant_id, key, request_id);

ALTER TABLE ONLY windrow.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (tenant_id, key, slot);

ALTER TABLE ONLY windrow.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, topic, message_id);

ALTER TABLE ONLY windrow.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY windrow.strands
    ADD CONSTRAINT strands_pkey PRIMARY KEY (tenant_id, subscription, key);

ALTER TABLE ONLY windrow.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (tenant_id, name);

ALTER TABLE ONLY windrow.topic_log
    ADD CONSTRAINT topic_log_pkey PRIMARY KEY (tenant_id, seq);

ALTER TABLE ONLY windrow.topics
    ADD CONSTRAINT topics_pkey PRIMARY KEY (tenant_id, name);

CREATE INDEX audit_log_subject ON windrow.audit_log USING btree (tenant_id, subject, id);

CREATE INDEX dead_letters_died ON windrow.dead_letters USING btree (tenant_id, died_at);

CREATE INDEX dead_letters_message ON windrow.dead_letters USING btree (tenant_id, topic, message_id);

CREATE INDEX kv_expiry ON windrow.kv USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX strands_due ON windrow.strands USING btree (tenant_id, queue, due_at);

CREATE INDEX strands_settled ON windrow.strands USING btree (tenant_id, topic) WHERE settled;

CREATE INDEX subscriptions_sink ON windrow.subscriptions USING btree (sink) WHERE (sink IS NOT NULL);

CREATE INDEX subscriptions_topic ON windrow.subscriptions USING btree (tenant_id, topic);

CREATE INDEX topic_log_key ON windrow.topic_log USING btree (tenant_id, topic, key, "position") WHERE ("position" IS NOT NULL);

CREATE UNIQUE INDEX topic_log_position ON windrow.topic_log USING btree (tenant_id, log, "position") WHERE ("position" IS NOT NULL);

CREATE INDEX topic_log_put_back ON windrow.topic_log USING btree (tenant_id, topic, message_id) WHERE (subscription IS NOT NULL);

CREATE INDEX topic_log_unrouted ON windrow.topic_log USING btree (tenant_id, topic, seq) WHERE ("position" IS NULL);

ALTER TABLE ONLY windrow.subscriptions
    ADD CONSTRAINT subscriptions_tenant_id_topic_fkey FOREIGN KEY (tenant_id, topic) REFERENCES windrow.topics(tenant_id, name);

ALTER TABLE windrow.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.dead_letters ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv_fingerprint_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.kv_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.leases ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.strands ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.subscriptions ENABLE ROW LEVEL SECURITY;

CREATE POLICY system ON windrow.idempotency_keys TO windrow_system USING (true);

CREATE POLICY system ON windrow.kv FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.kv_requests TO windrow_system USING (true);

CREATE POLICY system ON windrow.strands FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.subscriptions FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.topic_log FOR SELECT TO windrow_system USING (true);

CREATE POLICY system ON windrow.topics FOR SELECT TO windrow_system USING (true);

CREATE POLICY tenant ON windrow.audit_log TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.dead_letters TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.idempotency_keys TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv_fingerprint_keys TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.kv_requests TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.leases TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.messages TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.strands TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.subscriptions TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.topic_log TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

CREATE POLICY tenant ON windrow.topics TO windrow_app USING ((tenant_id = windrow.current_tenant())) WITH CHECK ((tenant_id = windrow.current_tenant()));

ALTER TABLE windrow.topic_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE windrow.topics ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA windrow TO windrow_app;
GRANT USAGE ON SCHEMA windrow TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.kv TO windrow_app;

GRANT SELECT(tenant_id) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(key) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(version) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT(expires_at) ON TABLE windrow.kv TO windrow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.leases TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.audit_log TO windrow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE windrow.dead_letters TO windrow_app;

GRANT SELECT,INSERT,UPDATE ON TABLE windrow.idempotency_keys TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.idempotency_keys TO windrow_system;

GRANT SELECT,INSERT ON TABLE windrow.kv_fingerprint_keys TO windrow_app;

GRANT SELECT,INSERT ON TABLE windrow.kv_requests TO windrow_app;
GRANT SELECT,DELETE ON TABLE windrow.kv_requests TO windrow_system;

GRANT USAGE ON SEQUENCE windrow.message_seq TO windrow_app;

GRANT SELECT,INSERT,DELETE ON TABLE windrow.messages TO windrow_app;

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
