-- declare: the topic, with its retention; declared again, the retention is the new one
INSERT INTO topics (tenant_id, name, keep) VALUES (current_tenant(), %(topic)s, %(keep)s)
ON CONFLICT (tenant_id, name) DO UPDATE SET keep = EXCLUDED.keep;

-- listed: every topic, with what is in its log
SELECT topics.name, topics.keep, topics.last_position,
       count(line.seq) FILTER (WHERE line.subscription IS NULL) AS messages,
       count(line.seq) FILTER (WHERE line.position IS NULL) AS unrouted,
       min(line.appended_at) AS oldest_at, max(line.appended_at) AS newest_at,
       (SELECT count(*) FROM dead_letters
         WHERE dead_letters.tenant_id = current_tenant() AND dead_letters.topic = topics.name) AS dead_letters
  FROM topics
  LEFT JOIN topic_log AS line ON line.tenant_id = topics.tenant_id AND line.topic = topics.name
 WHERE topics.tenant_id = current_tenant()
 GROUP BY topics.tenant_id, topics.name
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
