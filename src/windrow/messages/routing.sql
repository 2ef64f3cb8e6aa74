-- unrouted: the tenants and topics with something to route or to retire, one step of the index for each of them: a
-- million lines of one tenant cost no more than one line of another
WITH RECURSIVE waiting AS (
  (SELECT tenant_id, topic FROM topic_log WHERE position IS NULL ORDER BY tenant_id, topic LIMIT 1)
  UNION ALL
  SELECT following.tenant_id, following.topic
    FROM waiting CROSS JOIN LATERAL (
      SELECT line.tenant_id, line.topic FROM topic_log AS line
       WHERE line.position IS NULL AND (line.tenant_id, line.topic) > (waiting.tenant_id, waiting.topic)
       ORDER BY line.tenant_id, line.topic LIMIT 1) AS following
), drained AS (
  (SELECT tenant_id, topic FROM strands WHERE settled ORDER BY tenant_id, topic LIMIT 1)
  UNION ALL
  SELECT following.tenant_id, following.topic
    FROM drained CROSS JOIN LATERAL (
      SELECT strand.tenant_id, strand.topic FROM strands AS strand
       WHERE strand.settled AND (strand.tenant_id, strand.topic) > (drained.tenant_id, drained.topic)
       ORDER BY strand.tenant_id, strand.topic LIMIT 1) AS following
)
SELECT tenant_id, topic FROM waiting UNION SELECT tenant_id, topic FROM drained;

-- take_topic: the right to route it; no row when another has it, or when the topic is not there
SELECT name FROM topics WHERE tenant_id = current_tenant() AND name = %(topic)s FOR UPDATE SKIP LOCKED;

-- place: give the next positions to what has committed, in the order of its numbers, and open a strand for each key and
-- subscription that has none. Its snapshot is taken under the topic's lock, so it sees every position and every strand,
-- and no line that it found can move. Rows are met again by their place, and others by a subquery for each, here and
-- below, since a join is planned by statistics, and a queue that fills up is always ahead of them.
WITH batch AS MATERIALIZED (
  SELECT at, row_number() OVER (ORDER BY seq) AS n
    FROM (SELECT ctid AS at, seq FROM topic_log
           WHERE tenant_id = current_tenant() AND topic = %(topic)s AND position IS NULL
           ORDER BY seq LIMIT %(limit)s) AS next_lines
), counted AS (
  UPDATE topics SET last_position = last_position + (SELECT count(*) FROM batch)
   WHERE tenant_id = current_tenant() AND name = %(topic)s
  RETURNING last_position - (SELECT count(*) FROM batch) AS base
), placed AS (
  UPDATE topic_log AS line SET position = counted.base + batch.n, routed_at = clock_timestamp()
    FROM batch, counted
   WHERE line.ctid = batch.at
  RETURNING line.key, line.subscription, line.position
), opened AS (
  INSERT INTO strands (tenant_id, subscription, key, topic, done, due_at)
  SELECT current_tenant(), wanting.name, placed.key, %(topic)s, min(placed.position) - 1, clock_timestamp()
    FROM placed
    JOIN subscriptions AS wanting
      ON wanting.tenant_id = current_tenant() AND wanting.topic = %(topic)s
     AND (placed.subscription IS NULL OR placed.subscription = wanting.name)
   WHERE (SELECT there.done FROM strands AS there
           WHERE there.tenant_id = current_tenant() AND there.subscription = wanting.name AND there.key = placed.key) IS NULL
   GROUP BY wanting.name, placed.key
)
SELECT count(*) AS lines, count(*) FILTER (WHERE subscription IS NULL) AS messages,
       CASE WHEN count(*) > 0 THEN pg_notify('windrow_deliveries', '') END AS notice
  FROM placed;

-- retire: a strand with nothing left is deleted; one with more is no longer worth a look. One that somebody holds is left
-- to the next pass.
WITH looked AS (
  SELECT strand.ctid AS at,
         (SELECT line.position FROM topic_log AS line
           WHERE line.tenant_id = strand.tenant_id AND line.topic = strand.topic AND line.key = strand.key
             AND line.position > strand.done AND (line.subscription IS NULL OR line.subscription = strand.subscription)
           ORDER BY line.position LIMIT 1) AS following
    FROM strands AS strand
   WHERE strand.tenant_id = current_tenant() AND strand.topic = %(topic)s AND strand.settled
   LIMIT %(limit)s
     FOR UPDATE OF strand SKIP LOCKED
), kept AS (
  UPDATE strands AS strand SET settled = false FROM looked
   WHERE strand.ctid = looked.at AND looked.following IS NOT NULL
)
DELETE FROM strands AS strand USING looked WHERE strand.ctid = looked.at AND looked.following IS NULL;

-- add_topic: a topic that nobody declared begins with its first message; to have inserted it is to hold it
INSERT INTO topics (tenant_id, name)
SELECT current_tenant(), %(topic)s
 WHERE NOT EXISTS (SELECT FROM topics WHERE tenant_id = current_tenant() AND name = %(topic)s)
ON CONFLICT (tenant_id, name) DO NOTHING;
