-- declare_topic: a subscription may be there before the first message
INSERT INTO topics (tenant_id, name) VALUES (current_tenant(), %(topic)s) ON CONFLICT (tenant_id, name) DO NOTHING;

-- hold_topic: nothing is routed, purged or retired here until this commits
SELECT last_position FROM topics WHERE tenant_id = current_tenant() AND name = %(topic)s FOR UPDATE;

-- find: the subscription as it is
SELECT name, topic, sink, ack_deadline, retry_first, retry_ceiling, retry_attempts, retry_factor, retry_spread
  FROM subscriptions WHERE tenant_id = current_tenant() AND name = %(name)s;

-- write: new, or with other terms; its topic stays
INSERT INTO subscriptions (tenant_id, name, topic, sink, ack_deadline, retry_first, retry_ceiling, retry_attempts,
                           retry_factor, retry_spread)
VALUES (current_tenant(), %(name)s, %(topic)s, %(sink)s, %(ack_deadline)s, %(first)s, %(ceiling)s, %(attempts)s, %(factor)s,
        %(spread)s)
ON CONFLICT (tenant_id, name) DO UPDATE
   SET sink = EXCLUDED.sink, ack_deadline = EXCLUDED.ack_deadline, retry_first = EXCLUDED.retry_first,
       retry_ceiling = EXCLUDED.retry_ceiling, retry_attempts = EXCLUDED.retry_attempts,
       retry_factor = EXCLUDED.retry_factor, retry_spread = EXCLUDED.retry_spread;

-- position_at: where a replay from a moment begins; times of routing rise with the position
SELECT min(position) FROM topic_log
 WHERE tenant_id = current_tenant() AND log = current_tenant() || '/' || %(topic)s AND position IS NOT NULL
   AND routed_at >= %(moment)s;

-- set_back: every strand with something from that position on begins there again; a claim under way is void
WITH again AS (
  SELECT key, count(*) AS lines FROM topic_log
   WHERE tenant_id = current_tenant() AND log = current_tenant() || '/' || %(topic)s AND position >= %(position)s
     AND (subscription IS NULL OR subscription = %(name)s)
   GROUP BY key
), back AS (
  INSERT INTO strands (tenant_id, subscription, key, topic, done, due_at)
  SELECT current_tenant(), %(name)s, key, %(topic)s, %(position)s - 1, clock_timestamp() FROM again
  ON CONFLICT (tenant_id, subscription, key) DO UPDATE
     SET done = LEAST(strands.done, EXCLUDED.done), claim = NULL, claimed_by = NULL, attempts = 0, settled = false,
         due_at = clock_timestamp(), error_class = NULL, error_code = NULL, error = NULL, failed_at = NULL
), forgotten AS (
  DELETE FROM dead_letters WHERE tenant_id = current_tenant() AND subscription = %(name)s AND position >= %(position)s
)
SELECT coalesce(sum(lines), 0)::bigint AS messages, pg_notify('windrow_deliveries', '') AS notice FROM again;

-- remove: the subscription with all that is still to be delivered for it
WITH lines AS (
  DELETE FROM topic_log WHERE tenant_id = current_tenant() AND topic = %(topic)s AND subscription = %(name)s
), open_strands AS (
  DELETE FROM strands WHERE tenant_id = current_tenant() AND subscription = %(name)s
), letters AS (
  DELETE FROM dead_letters WHERE tenant_id = current_tenant() AND subscription = %(name)s
)
DELETE FROM subscriptions WHERE tenant_id = current_tenant() AND name = %(name)s;

-- listed: each subscription with what it has still to receive, and how it fares
SELECT subscribed.name, subscribed.topic, subscribed.sink, subscribed.ack_deadline, subscribed.retry_attempts,
       coalesce(sum(ahead.lines), 0)::bigint AS pending,
       count(*) FILTER (WHERE strand.claim IS NOT NULL AND strand.due_at > clock_timestamp()) AS in_hand,
       count(*) FILTER (WHERE strand.error IS NOT NULL) AS failing,
       min(ahead.oldest_at) AS oldest_at,
       (SELECT count(*) FROM dead_letters
         WHERE dead_letters.tenant_id = current_tenant() AND dead_letters.subscription = subscribed.name) AS dead_letters
  FROM subscriptions AS subscribed
  LEFT JOIN strands AS strand ON strand.tenant_id = subscribed.tenant_id AND strand.subscription = subscribed.name
  LEFT JOIN LATERAL (
    SELECT count(*) AS lines, min(line.appended_at) AS oldest_at FROM topic_log AS line
     WHERE line.tenant_id = strand.tenant_id AND line.topic = strand.topic AND line.key = strand.key
       AND line.position > strand.done AND (line.subscription IS NULL OR line.subscription = strand.subscription)) AS ahead ON true
 WHERE subscribed.tenant_id = current_tenant() AND (%(topic)s::text IS NULL OR subscribed.topic = %(topic)s)
 GROUP BY subscribed.tenant_id, subscribed.name
 ORDER BY subscribed.topic, subscribed.name;
