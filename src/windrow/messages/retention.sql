-- topics: whose retention is to be looked after
SELECT tenant_id, name, keep FROM topics ORDER BY name, tenant_id;

-- hold_topic: nobody gives positions or sets a subscription back meanwhile; no row: somebody does, so next time
SELECT name FROM topics WHERE tenant_id = current_tenant() AND name = %(topic)s FOR UPDATE SKIP LOCKED;

-- purge: look at the next lines after a position, and remove those that are old enough and that nobody waits for: no
-- strand has still to pass them, no dead letter needs them. A message goes with its own line, once no other names it.
WITH looked AS MATERIALIZED (
  SELECT ctid AS at, position, key, message_id, subscription, routed_at < clock_timestamp() - %(keep)s AS is_old
    FROM topic_log
   WHERE tenant_id = current_tenant() AND log = current_tenant() || '/' || %(topic)s AND position > %(after)s
   ORDER BY position LIMIT %(limit)s
), over AS MATERIALIZED (
  SELECT at, message_id, subscription FROM looked
   WHERE is_old
     AND (SELECT strand.key FROM subscriptions AS wanting JOIN strands AS strand
              ON strand.tenant_id = wanting.tenant_id AND strand.subscription = wanting.name
           WHERE wanting.tenant_id = current_tenant() AND wanting.topic = %(topic)s
             AND strand.key = looked.key AND strand.done < looked.position LIMIT 1) IS NULL
     AND (SELECT letter.key FROM dead_letters AS letter
           WHERE letter.tenant_id = current_tenant() AND letter.topic = %(topic)s
             AND letter.message_id = looked.message_id LIMIT 1) IS NULL
     AND (looked.subscription IS NOT NULL
          OR (SELECT again.key FROM topic_log AS again
               WHERE again.tenant_id = current_tenant() AND again.topic = %(topic)s
                 AND again.message_id = looked.message_id AND again.subscription IS NOT NULL LIMIT 1) IS NULL)
), lines AS (
  DELETE FROM topic_log AS line USING over WHERE line.ctid = over.at
), gone AS (
  DELETE FROM messages AS said USING over
   WHERE said.tenant_id = current_tenant() AND said.topic = %(topic)s AND said.message_id = over.message_id
     AND over.subscription IS NULL
  RETURNING said.message_id
)
SELECT (SELECT count(*) FROM gone) AS purged, max(position) AS reached,
       count(*) = %(limit)s AND bool_and(is_old) AS may_go_on
  FROM looked;

-- lag: the age of the oldest message that somebody still has to receive, or that waits to be routed
SELECT topics.name AS topic,
       coalesce(extract(epoch FROM clock_timestamp() - min(waiting.appended_at)), 0)::double precision AS seconds
  FROM topics
  LEFT JOIN (
    SELECT tenant_id, topic, min(appended_at) AS appended_at FROM topic_log WHERE position IS NULL GROUP BY tenant_id, topic
    UNION ALL
    SELECT strand.tenant_id, strand.topic, following.appended_at
      FROM strands AS strand
     CROSS JOIN LATERAL (
       SELECT line.appended_at FROM topic_log AS line
        WHERE line.tenant_id = strand.tenant_id AND line.topic = strand.topic AND line.key = strand.key
          AND line.position > strand.done AND (line.subscription IS NULL OR line.subscription = strand.subscription)
        ORDER BY line.position LIMIT 1) AS following
  ) AS waiting ON waiting.tenant_id = topics.tenant_id AND waiting.topic = topics.name
 GROUP BY topics.name;
