-- claim: take strands that are due, longest waiting first, and the next message of each; who takes one has it until the
-- ack deadline. A strand that changed since the snapshot is asked again for its next message, which a join would not be;
-- and then it is not at its place any more, so it stays for the next claim.
WITH due AS (
  SELECT strand.ctid AS at, strand.claim AS expired, strand.claimed_by AS expired_by
    FROM strands AS strand
   WHERE strand.tenant_id = current_tenant() AND strand.queue = current_tenant() || '/' || %(subscription)s
     AND strand.due_at <= now()
     AND (SELECT line.position FROM topic_log AS line
           WHERE line.tenant_id = strand.tenant_id AND line.topic = strand.topic AND line.key = strand.key
             AND line.position > strand.done AND (line.subscription IS NULL OR line.subscription = strand.subscription)
           ORDER BY line.position LIMIT 1) IS NOT NULL
   ORDER BY strand.due_at
   LIMIT %(limit)s
     FOR UPDATE OF strand SKIP LOCKED
), claimed AS (
  UPDATE strands AS strand
     SET claim = gen_random_uuid(), claimed_by = %(by)s, attempts = strand.attempts + 1, settled = false,
         due_at = clock_timestamp() + subscribed.ack_deadline
    FROM due, subscriptions AS subscribed
   WHERE strand.ctid = due.at
     AND subscribed.tenant_id = current_tenant() AND subscribed.name = %(subscription)s
  RETURNING strand.tenant_id, strand.subscription, strand.topic, strand.key, strand.done, strand.claim, strand.claimed_by,
            strand.attempts, due.expired, due.expired_by, subscribed.sink, subscribed.ack_deadline, subscribed.retry_first,
            subscribed.retry_ceiling, subscribed.retry_attempts, subscribed.retry_factor, subscribed.retry_spread
)
SELECT claimed.*, following.position, said.message_id, said.payload, said.attributes, said.published_at
  FROM claimed
 CROSS JOIN LATERAL (
   SELECT line.position, line.message_id FROM topic_log AS line
    WHERE line.tenant_id = claimed.tenant_id AND line.topic = claimed.topic AND line.key = claimed.key
      AND line.position > claimed.done AND (line.subscription IS NULL OR line.subscription = claimed.subscription)
    ORDER BY line.position LIMIT 1) AS following
  JOIN messages AS said
    ON said.tenant_id = claimed.tenant_id AND said.topic = claimed.topic AND said.message_id = following.message_id
 ORDER BY following.position;

-- is_subscribed: an empty claim may also be a wrong name
SELECT name FROM subscriptions WHERE tenant_id = current_tenant() AND name = %(subscription)s;

-- extend: more time for who still holds the claim, also when its time has just passed
UPDATE strands AS strand SET due_at = clock_timestamp() + %(by)s
  FROM unnest(%(subscriptions)s::text[], %(keys)s::text[], %(claims)s::uuid[]) AS held (subscription, key, claim)
 WHERE strand.tenant_id = current_tenant() AND strand.subscription = held.subscription AND strand.key = held.key
   AND strand.claim = held.claim;
