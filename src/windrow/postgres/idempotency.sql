-- claim: waits for another transaction that holds the same key; no row when the key was used
INSERT INTO idempotency_keys (tenant_id, key, request_hash) VALUES (current_tenant(), %(key)s, %(request_hash)s)
ON CONFLICT (tenant_id, key) DO NOTHING;

-- answer: kept with the effect; of several effects, with each of them
UPDATE idempotency_keys SET response = %(response)s WHERE tenant_id = current_tenant() AND key = %(key)s;

-- find: the first request and its answer
SELECT request_hash, response FROM idempotency_keys WHERE tenant_id = current_tenant() AND key = %(key)s;

-- purge: after the retention a replay is a new request
DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(secs => %(hours)s * 3600);
