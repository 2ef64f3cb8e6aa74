-- page: the latest first; of those that died at one moment, in the order of their names
SELECT subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at
  FROM dead_letters
 WHERE tenant_id = current_tenant()
   AND (%(subscription)s::text IS NULL OR subscription = %(subscription)s)
   AND (%(topic)s::text IS NULL OR topic = %(topic)s)
   AND (%(died_at)s::timestamptz IS NULL OR died_at < %(died_at)s
        OR (died_at = %(died_at)s AND (subscription, message_id) > (%(last)s::text, %(message_id)s::uuid)))
 ORDER BY died_at DESC, subscription, message_id LIMIT %(limit)s;
