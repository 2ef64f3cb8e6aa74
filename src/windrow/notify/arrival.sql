-- arrivals: a notice has arrived where no letter says that it died, and nothing that is left to deliver has its id
WITH asked AS MATERIALIZED (
  SELECT said.message_id, said.topic, said.key, said.published_at
    FROM unnest(%(notices)s::uuid[], %(topics)s::text[]) AS wanted (message_id, topic)
    JOIN messages AS said ON said.tenant_id = current_tenant() AND said.topic = wanted.topic AND said.message_id = wanted.message_id
), unrouted AS MATERIALIZED (
  SELECT line.topic, line.message_id, line.subscription FROM topic_log AS line
   WHERE line.tenant_id = current_tenant() AND line.topic = ANY (%(topics)s) AND line.position IS NULL LIMIT %(most)s
)
SELECT asked.message_id, asked.published_at, s.name AS subscription, s.created_at AS since, letter.reason, letter.attempts AS tried,
       letter.died_at, strand.error, strand.attempts, strand.failed_at,
       EXISTS (SELECT FROM unrouted
                WHERE unrouted.topic = asked.topic AND unrouted.message_id = asked.message_id
                  AND (unrouted.subscription IS NULL OR unrouted.subscription = s.name)) AS unrouted,
       EXISTS (SELECT FROM topic_log AS line
                WHERE line.tenant_id = current_tenant() AND line.topic = asked.topic AND line.key = asked.key
                  AND line.position > strand.done AND line.message_id = asked.message_id
                  AND (line.subscription IS NULL OR line.subscription = s.name)) AS ahead
  FROM asked
  JOIN subscriptions AS s ON s.tenant_id = current_tenant() AND s.topic = asked.topic
  LEFT JOIN dead_letters AS letter
    ON letter.tenant_id = current_tenant() AND letter.subscription = s.name AND letter.message_id = asked.message_id
  LEFT JOIN strands AS strand ON strand.tenant_id = current_tenant() AND strand.subscription = s.name AND strand.key = asked.key
 ORDER BY asked.message_id, s.name;
