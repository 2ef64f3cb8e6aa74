-- write: compare-and-set, ledger and audit in one statement, whether alone or in the caller's transaction
SELECT outcome, at_version, found_value, found_purpose, lapsed
  FROM kv_write(%(tenant)s, %(key)s, %(value)s, %(hash)s, %(expected)s, %(request_id)s,
                %(purpose)s, %(producer)s, %(consumer_hints)s, %(ttl_seconds)s, %(writer)s, %(spec_ref)s,
                %(actor)s, %(authority)s, %(correlation_id)s);

-- read: what a reader sees now, in one statement
SELECT key, value, version, purpose, producer, consumer_hints, ttl_seconds, last_writer, request_id, spec_ref, updated_at, expires_at
  FROM kv_read(%(tenant)s, %(key)s);

-- page: a stretch of the key order; the bounds are the index's
SELECT key, value, version, purpose, producer, consumer_hints, ttl_seconds, last_writer, request_id, spec_ref, updated_at, expires_at
  FROM kv
 WHERE tenant_id = current_tenant() AND key >= %(begin)s AND key < %(end)s AND key > %(after)s AND kv_live(value_hash, expires_at)
 ORDER BY key
 LIMIT %(limit)s;

-- due: what has run out, longest ago first, of any tenant
SELECT tenant_id, key FROM kv WHERE expires_at <= now() ORDER BY expires_at LIMIT %(limit)s;

-- expire: as the tenant, who may
SELECT key, version, purpose, producer, consumer_hints, ttl_seconds, expired_at FROM kv_expire(current_tenant(), %(keys)s);

-- purge: the ledger after its retention; the request that made the present version is kept, so that its replay stays exact
DELETE FROM kv_requests
 WHERE ctid = ANY (ARRAY(
   SELECT r.ctid FROM kv_requests r
    WHERE r.created_at < now() - make_interval(secs => %(seconds)s)
      AND NOT EXISTS (SELECT FROM kv WHERE kv.tenant_id = r.tenant_id AND kv.key = r.key AND kv.version = r.version)
    LIMIT %(limit)s));

-- fingerprint_key: what the tenant's fingerprints are keyed with
SELECT kv_fingerprint_key(%(tenant)s) AS secret;
