-- ack: delivered, if the claim is still held; the strand's next message is due at once
UPDATE strands AS strand
   SET done = held.position, claim = NULL, claimed_by = NULL, attempts = 0, settled = true, due_at = clock_timestamp(),
       error_class = NULL, error_code = NULL, error = NULL, failed_at = NULL
  FROM unnest(%(subscriptions)s::text[], %(keys)s::text[], %(claims)s::uuid[], %(positions)s::bigint[])
       AS held (subscription, key, claim, position)
 WHERE strand.tenant_id = current_tenant() AND strand.subscription = held.subscription AND strand.key = held.key
   AND strand.claim = held.claim;

-- retry: not delivered; due again after the delay, and until then its key waits
UPDATE strands
   SET claim = NULL, claimed_by = NULL, due_at = clock_timestamp() + %(delay)s, error_class = %(error_class)s,
       error_code = %(code)s, error = %(reason)s, failed_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND subscription = %(subscription)s AND key = %(key)s AND claim = %(claim)s;

-- bury: never delivered; the letter is written and the key goes on, together
WITH settled AS (
  UPDATE strands
     SET done = %(position)s, claim = NULL, claimed_by = NULL, attempts = 0, settled = true, due_at = clock_timestamp(),
         error_class = NULL, error_code = NULL, error = NULL, failed_at = NULL
   WHERE tenant_id = current_tenant() AND subscription = %(subscription)s AND key = %(key)s AND claim = %(claim)s
  RETURNING topic
)
INSERT INTO dead_letters (tenant_id, subscription, message_id, topic, key, position, attempts, error_class, code, reason)
SELECT current_tenant(), %(subscription)s, %(message_id)s, topic, %(key)s, %(position)s, %(attempts)s, %(error_class)s,
       %(code)s, %(reason)s
  FROM settled
ON CONFLICT (tenant_id, subscription, message_id) DO UPDATE
   SET position = EXCLUDED.position, attempts = EXCLUDED.attempts, error_class = EXCLUDED.error_class, code = EXCLUDED.code,
       reason = EXCLUDED.reason, died_at = EXCLUDED.died_at;

-- release: given back untried, as if it had never been claimed
UPDATE strands SET claim = NULL, claimed_by = NULL, attempts = attempts - 1, due_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND subscription = %(subscription)s AND key = %(key)s AND claim = %(claim)s;
