-- append: the messages and their lines in the log, in the order given; an id that is there already is passed over
WITH drafts AS MATERIALIZED (
  SELECT nextval('message_seq') AS seq, ordered.*
    FROM (SELECT message_id, key, payload, attributes
            FROM unnest(%(ids)s::uuid[], %(keys)s::text[], %(payloads)s::text[], %(attributes)s::text[])
                 WITH ORDINALITY AS given (message_id, key, payload, attributes, n)
           ORDER BY n) AS ordered
), said AS (
  INSERT INTO messages (tenant_id, topic, message_id, key, payload, attributes)
  SELECT current_tenant(), %(topic)s, message_id, key, payload::json, attributes::json FROM drafts
  ON CONFLICT (tenant_id, topic, message_id) DO NOTHING
  RETURNING message_id
), appended AS (
  INSERT INTO topic_log (tenant_id, topic, seq, key, message_id)
  SELECT current_tenant(), %(topic)s, drafts.seq, drafts.key, drafts.message_id FROM said JOIN drafts USING (message_id)
  RETURNING seq
)
-- the same notice several times in a transaction is sent once, when it commits
SELECT count(*) AS published, CASE WHEN count(*) > 0 THEN pg_notify('windrow_messages', '') END AS notice FROM appended;
