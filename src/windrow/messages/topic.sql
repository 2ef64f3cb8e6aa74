-- declare: the topic, with its retention; declared again, the retention is the new one
INSERT INTO topics (tenant_id, name, keep) VALUES (current_tenant(), %(topic)s, %(keep)s)
ON CONFLICT (tenant_id, name) DO UPDATE SET keep = EXCLUDED.keep;

-- listed: every topic, with what is in its log; of more lines than are asked for, the latest are counted
SELECT topics.name, topics.keep, topics.last_position, placed.messages + waiting.messages AS messages, waiting.lines AS unrouted,
       least(first.appended_at, waiting.oldest_at) AS oldest_at, greatest(last.appended_at, waiting.newest_at) AS newest_at,
       (SELECT count(*) FROM (SELECT FROM dead_letters AS letter
                               WHERE letter.tenant_id = current_tenant() AND letter.topic = topics.name LIMIT %(counted)s) AS latest) AS dead_letters
  FROM topics
 CROSS JOIN LATERAL (
   SELECT count(*) FILTER (WHERE latest.subscription IS NULL) AS messages
     FROM (SELECT line.subscription FROM topic_log AS line
            WHERE line.tenant_id = current_tenant() AND line.log = current_tenant() || '/' || topics.name AND line.position IS NOT NULL
            ORDER BY line.position DESC LIMIT %(counted)s) AS latest) AS placed
 CROSS JOIN LATERAL (
   SELECT count(*) AS lines, count(*) FILTER (WHERE latest.subscription IS NULL) AS messages,
          min(latest.appended_at) AS oldest_at, max(latest.appended_at) AS newest_at
     FROM (SELECT line.subscription, line.appended_at FROM topic_log AS line
            WHERE line.tenant_id = current_tenant() AND line.topic = topics.name AND line.position IS NULL
            ORDER BY line.seq DESC LIMIT %(counted)s) AS latest) AS waiting
  LEFT JOIN LATERAL (
   SELECT line.appended_at FROM topic_log AS line
    WHERE line.tenant_id = current_tenant() AND line.log = current_tenant() || '/' || topics.name AND line.position IS NOT NULL
    ORDER BY line.position LIMIT 1) AS first ON true
  LEFT JOIN LATERAL (
   SELECT line.appended_at FROM topic_log AS line
    WHERE line.tenant_id = current_tenant() AND line.log = current_tenant() || '/' || topics.name AND line.position IS NOT NULL
    ORDER BY line.position DESC LIMIT 1) AS last ON true
 WHERE topics.tenant_id = current_tenant()
 ORDER BY topics.name;

-- peeked: the newest messages of a topic; those that are not routed yet are newest of all
WITH waiting AS (
  SELECT seq, position, message_id FROM topic_log
   WHERE tenant_id = current_tenant() AND topic = %(topic)s AND position IS NULL AND subscription IS NULL
     AND (%(key)s::text IS NULL OR key = %(key)s) AND %(before)s::bigint IS NULL
   ORDER BY seq DESC LIMIT %(limit)s
), placed AS (
  SELECT seq, position, message_id FROM topic_log
   WHERE tenant_id = current_tenant() AND topic = %(topic)s AND log = current_tenant() || '/' || %(topic)s
     AND position < coalesce(%(before)s, 9223372036854775807) AND subscription IS NULL
     AND (%(key)s::text IS NULL OR key = %(key)s)
   ORDER BY position DESC LIMIT %(limit)s
)
SELECT line.position, said.message_id, said.key, said.published_at, said.attributes, said.payload
  FROM (SELECT * FROM waiting UNION ALL SELECT * FROM placed) AS line
  JOIN messages AS said
    ON said.tenant_id = current_tenant() AND said.topic = %(topic)s AND said.message_id = line.message_id
 ORDER BY line.position DESC NULLS FIRST, line.seq DESC
 LIMIT %(limit)s;

-- is_topic: declared, routed before, or waiting for its first routing
SELECT true FROM topics WHERE tenant_id = current_tenant() AND name = %(topic)s
UNION ALL
(SELECT true FROM topic_log WHERE tenant_id = current_tenant() AND topic = %(topic)s AND position IS NULL LIMIT 1);
