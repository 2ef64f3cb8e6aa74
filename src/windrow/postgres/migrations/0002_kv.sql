-- The semantic key-value store: entries, the ledger of the requests that wrote them, and the one statement that writes.

-- No CHECK constraints here: Postgres reads each of them anew for every statement, which is a twentieth of a put.
-- `kv_write` is the one way in, and its callers have checked.
CREATE TABLE kv (
  tenant_id      text        NOT NULL,
  key            text        COLLATE "C" NOT NULL,
  version        bigint      NOT NULL,
  value          json,
  value_hash     text,
  purpose        text        NOT NULL,
  producer       text        NOT NULL,
  consumer_hints json        NOT NULL,
  ttl_seconds    integer,
  expires_at     timestamptz,
  last_writer    text        NOT NULL,
  request_id     text        NOT NULL,
  spec_ref       text,
  updated_at     timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key)
) WITH (fillfactor = 70); -- room for the next version in the same page: no index is touched by a put
COMMENT ON TABLE kv IS 'Versioned values by key. Rows stay for ever, since they carry the version on: a value of NULL is a tombstone, an expiry in the past reads as absent.';
COMMENT ON COLUMN kv.value IS 'json, not jsonb: the text comes back as it was put, 1.0 as 1.0 and 1e22 as 1e22.';
CREATE INDEX kv_expiry ON kv (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE kv ENABLE ROW LEVEL SECURITY;
ALTER TABLE kv FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kv TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON kv FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON kv TO windrow_app;
-- what the sweep and the purge look for; never a value
GRANT SELECT (tenant_id, key, version, expires_at) ON kv TO windrow_system;

CREATE TABLE kv_requests (
  tenant_id  text        NOT NULL,
  key        text        COLLATE "C" NOT NULL,
  request_id text        COLLATE "C" NOT NULL,
  version    bigint      NOT NULL,
  value_hash text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key, request_id)
);
COMMENT ON TABLE kv_requests IS 'The ledger: which request produced which version, and of what (no hash: a deletion). Successes only; a replay is answered from here.';
ALTER TABLE kv_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE kv_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kv_requests TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON kv_requests TO windrow_system USING (true);
GRANT SELECT, INSERT ON kv_requests TO windrow_app;
GRANT SELECT, DELETE ON kv_requests TO windrow_system;

CREATE TABLE kv_fingerprint_keys (
  tenant_id text  PRIMARY KEY,
  secret    bytea NOT NULL DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);
COMMENT ON TABLE kv_fingerprint_keys IS 'What a tenant''s fingerprints are keyed with: without it a short token could be guessed from its fingerprint in a log.';
ALTER TABLE kv_fingerprint_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE kv_fingerprint_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kv_fingerprint_keys TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT ON kv_fingerprint_keys TO windrow_app;

-- The tenant's key, made at its first use.
CREATE FUNCTION kv_fingerprint_key(in_tenant text) RETURNS bytea
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_tenant(in_tenant);
  IF NOT EXISTS (SELECT FROM kv_fingerprint_keys k WHERE k.tenant_id = in_tenant) THEN
    INSERT INTO kv_fingerprint_keys (tenant_id) VALUES (in_tenant) ON CONFLICT DO NOTHING;
  END IF;
  RETURN (SELECT k.secret FROM kv_fingerprint_keys k WHERE k.tenant_id = in_tenant);
END $$;

-- Whether an entry is there for a reader at this moment; not now(), which stands still while a transaction waits for a lock.
CREATE FUNCTION kv_live(value_hash text, expires_at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE
RETURN value_hash IS NOT NULL AND (expires_at IS NULL OR expires_at > clock_timestamp());

-- What has run out becomes a tombstone, audited; the semantics of each, to be logged. A row that somebody is writing is
-- left to him, or to the next sweep.
CREATE FUNCTION kv_expire(in_tenant text, in_keys text[])
RETURNS TABLE (key text, version bigint, purpose text, producer text, consumer_hints json, ttl_seconds integer, expired_at timestamptz)
LANGUAGE sql AS $$
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

-- One compare-and-set with its ledger row and its audit row. A new_value of NULL deletes.
--
-- A row at the expected version is locked, and its time is looked at after that, since the wait for the lock may have
-- outlasted the entry: two writers of one key follow one another, and each statement, with a snapshot of its own, sees all
-- that the other did. A row at another version is only read, so that a conflict costs no lock and no flush to disk.
--
-- The ledger has the last word on both ways: to write is to enter it first, and a conflict is one only if the request is
-- not there. It is asked after the row: asked before, a twin of the request could commit between the two looks, and what
-- was carried out would be answered as a conflict. It answers instead of raising, because an error would end the caller's
-- transaction.
--
--   stored    at_version is the one just made; lapsed has the semantics of what had run out and was not swept yet
--   replayed  at_version is the one that this request made then
--   stale     at_version and found_value are what is there; 0 where nothing is
--   reused    this request wrote something else then
CREATE FUNCTION kv_write(
  in_tenant text, in_key text, new_value json, new_hash text, expected bigint, in_request text,
  in_purpose text, in_producer text, in_hints json, in_ttl integer, in_writer text, in_spec text,
  in_actor text, in_authority text, in_correlation text,
  OUT outcome text, OUT at_version bigint, OUT found_value json, OUT found_purpose text, OUT lapsed json)
LANGUAGE plpgsql AS $$
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

-- One entry as a reader sees it, in one statement that names its tenant itself.
CREATE FUNCTION kv_read(in_tenant text, in_key text) RETURNS SETOF kv
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_tenant(in_tenant);
  RETURN QUERY SELECT kv.* FROM kv
                WHERE kv.tenant_id = in_tenant AND kv.key = in_key AND kv_live(kv.value_hash, kv.expires_at);
END $$;
