-- listed: the latest first, of those that died at one moment by their names; a page at a time behind the last one seen
SELECT subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at
  FROM dead_letters
 WHERE tenant_id = current_tenant()
   AND (%(subscription)s::text IS NULL OR subscription = %(subscription)s)
   AND (%(topic)s::text IS NULL OR topic = %(topic)s)
   AND died_at <= coalesce(%(died_at)s, 'infinity'::timestamptz)
   AND (%(died_at)s::timestamptz IS NULL OR died_at < %(died_at)s
        OR (subscription, message_id) > (%(last_subscription)s::text, %(last_message)s::uuid))
 ORDER BY died_at DESC, subscription, message_id
 LIMIT %(limit)s;

-- shown: the letters of one message, with what it said
SELECT letter.subscription, letter.message_id, letter.topic, letter.key, letter.position, letter.attempts,
       letter.error_class, letter.code, letter.reason, letter.died_at, said.published_at, said.attributes, said.payload
  FROM dead_letters AS letter
  JOIN messages AS said
    ON said.tenant_id = letter.tenant_id AND said.topic = letter.topic AND said.message_id = letter.message_id
 WHERE letter.tenant_id = current_tenant() AND letter.message_id = %(message_id)s
   AND (%(subscription)s::text IS NULL OR letter.subscription = %(subscription)s)
 ORDER BY letter.subscription;

-- put_back: the letters become lines at the end of the log, for their subscription alone, in the order they had
WITH taken AS (
  DELETE FROM dead_letters
   WHERE tenant_id = current_tenant()
     AND (%(subscription)s::text IS NULL OR subscription = %(subscription)s)
     AND (%(message_ids)s::uuid[] IS NULL OR message_id = ANY (%(message_ids)s))
  RETURNING subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at
), ordered AS MATERIALIZED (
  SELECT nextval('message_seq') AS seq, by_position.*
    FROM (SELECT * FROM taken ORDER BY topic, position, subscription) AS by_position
), appended AS (
  INSERT INTO topic_log (tenant_id, topic, seq, key, message_id, subscription)
  SELECT current_tenant(), topic, seq, key, message_id, subscription FROM ordered
), woken AS MATERIALIZED (
  SELECT pg_notify('windrow_messages', '')
)
SELECT ordered.subscription, ordered.message_id, ordered.topic, ordered.key, ordered.position, ordered.attempts,
       ordered.error_class, ordered.code, ordered.reason, ordered.died_at
  FROM ordered, woken
 ORDER BY ordered.seq;

-- discard: given up; the message goes with the retention of its topic
DELETE FROM dead_letters
 WHERE tenant_id = current_tenant()
   AND (%(subscription)s::text IS NULL OR subscription = %(subscription)s)
   AND (%(message_ids)s::uuid[] IS NULL OR message_id = ANY (%(message_ids)s))
RETURNING subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at;
