-- Messages: what was announced, in which order each topic tells it, and how far each subscription has come.
--
--   publisher ─► messages + topic_log (no position yet) ─► the router gives positions, and strands where there are none
--             ─► a consumer claims a strand, receives its next message, settles it ─► the router retires drained strands
--
-- Positions are given, and strands inserted and deleted, only by who holds the lock of the topic's row. Publishers never
-- take that lock, and the router never waits for a consumer. docs/explanation/messages.md has the interleavings.

-- Numbers must be given one by one: a session that kept some in hand would publish later than its number says.
CREATE SEQUENCE message_seq CACHE 1;
COMMENT ON SEQUENCE message_seq IS 'In which order lines were appended to the topics'' logs: taken before the commit, so two lines may become visible in the other order.';
GRANT USAGE ON SEQUENCE message_seq TO windrow_app;

CREATE TABLE topics (
  tenant_id     text        NOT NULL,
  name          text        COLLATE "C" NOT NULL,
  keep          interval    CHECK (keep >= interval '0'),
  last_position bigint      NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, name)
);
COMMENT ON TABLE topics IS 'Where messages are published. The row''s lock is the right to give positions and to insert or delete strands.';
COMMENT ON COLUMN topics.keep IS 'How long delivered messages stay; NULL: as long as the process that purges says.';
ALTER TABLE topics ENABLE ROW LEVEL SECURITY;
ALTER TABLE topics FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON topics TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON topics FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON topics TO windrow_app;
GRANT SELECT (tenant_id, name, keep) ON topics TO windrow_system;

CREATE TABLE subscriptions (
  tenant_id      text             NOT NULL,
  name           text             COLLATE "C" NOT NULL,
  topic          text             COLLATE "C" NOT NULL,
  sink           text             COLLATE "C",
  ack_deadline   interval         NOT NULL CHECK (ack_deadline > interval '0'),
  retry_first    interval         NOT NULL CHECK (retry_first >= interval '0'),
  retry_ceiling  interval         NOT NULL CHECK (retry_ceiling >= retry_first),
  retry_attempts integer          CHECK (retry_attempts > 0),
  retry_factor   double precision NOT NULL CHECK (retry_factor >= 1),
  retry_spread   double precision NOT NULL CHECK (retry_spread BETWEEN 0 AND 1),
  created_at     timestamptz      NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, name),
  FOREIGN KEY (tenant_id, topic) REFERENCES topics (tenant_id, name)
);
COMMENT ON TABLE subscriptions IS 'Who wants a topic''s messages: a sink that the relay pushes to, or (no sink) consumers that pull. How long a claim lasts, and when a failed delivery is tried again.';
CREATE INDEX subscriptions_topic ON subscriptions (tenant_id, topic);
CREATE INDEX subscriptions_sink ON subscriptions (sink) WHERE sink IS NOT NULL;
ALTER TABLE subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON subscriptions TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON subscriptions FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON subscriptions TO windrow_app;
GRANT SELECT (tenant_id, name, topic, sink) ON subscriptions TO windrow_system;

CREATE TABLE messages (
  tenant_id    text        NOT NULL,
  topic        text        COLLATE "C" NOT NULL,
  message_id   uuid        NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  payload      json        NOT NULL,
  attributes   json        NOT NULL,
  published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, topic, message_id)
);
COMMENT ON TABLE messages IS 'What was said. Written in the transaction of the change that it announces, never changed afterwards; the same id again is the same message.';
COMMENT ON COLUMN messages.key IS 'What the message is about: order holds within a key. A message without a key of its own has its id.';
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON messages TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON messages TO windrow_app;

CREATE TABLE topic_log (
  tenant_id    text        NOT NULL,
  topic        text        COLLATE "C" NOT NULL,
  seq          bigint      NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  message_id   uuid        NOT NULL,
  subscription text        COLLATE "C",
  appended_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  position     bigint,
  routed_at    timestamptz,
  log          text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (tenant_id || '/' || topic) STORED,
  PRIMARY KEY (tenant_id, seq),
  CHECK ((position IS NULL) = (routed_at IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE topic_log IS 'In which order. A line has no position until its transaction has committed and the router has seen it, so whoever reads up to a position has missed nothing below it.';
COMMENT ON COLUMN topic_log.log IS 'Tenant and topic as one, for the index by position: before a table''s first ANALYZE the planner cannot tell it from the one by key if both begin with tenant and topic, and a wrong guess reads the whole topic for every message.';
COMMENT ON COLUMN topic_log.subscription IS 'For this subscription alone: a dead letter that was put back. NULL: for all.';
CREATE INDEX topic_log_unrouted ON topic_log (tenant_id, topic, seq) WHERE position IS NULL;
CREATE UNIQUE INDEX topic_log_position ON topic_log (tenant_id, log, position) WHERE position IS NOT NULL;
CREATE INDEX topic_log_key ON topic_log (tenant_id, topic, key, position) WHERE position IS NOT NULL;
CREATE INDEX topic_log_put_back ON topic_log (tenant_id, topic, message_id) WHERE subscription IS NOT NULL;
ALTER TABLE topic_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE topic_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON topic_log TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON topic_log FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON topic_log TO windrow_app;
-- that there is something to do and since when; never what
GRANT SELECT (tenant_id, topic, seq, key, position, subscription, appended_at) ON topic_log TO windrow_system;

CREATE TABLE strands (
  tenant_id    text        NOT NULL,
  subscription text        COLLATE "C" NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  topic        text        COLLATE "C" NOT NULL,
  done         bigint      NOT NULL,
  due_at       timestamptz NOT NULL,
  claim        uuid,
  claimed_by   text,
  attempts     integer     NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  settled      boolean     NOT NULL DEFAULT false,
  error_class  text,
  error_code   text,
  error        text,
  failed_at    timestamptz,
  queue        text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (tenant_id || '/' || subscription) STORED,
  PRIMARY KEY (tenant_id, subscription, key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02); -- every delivery rewrites its strand
COMMENT ON TABLE strands IS 'One subscription''s messages of one key, delivered one at a time, in order. A row is there while something may be left to deliver.';
COMMENT ON COLUMN strands.done IS 'Everything up to this position is delivered, or is a dead letter.';
COMMENT ON COLUMN strands.due_at IS 'When the next message may be claimed: at once, after a failure''s delay, or when the claim that holds it runs out.';
COMMENT ON COLUMN strands.claim IS 'The fence: new with every claim, and named by whoever settles. NULL: in nobody''s hand.';
COMMENT ON COLUMN strands.attempts IS 'Claims of the next message so far.';
COMMENT ON COLUMN strands.settled IS 'A message was just settled: the router looks whether there is another, and deletes the row if not.';
COMMENT ON COLUMN strands.queue IS 'Tenant and subscription as one, for the index by time: as with the log.';
CREATE INDEX strands_due ON strands (tenant_id, queue, due_at);
CREATE INDEX strands_settled ON strands (tenant_id, topic) WHERE settled;
ALTER TABLE strands ENABLE ROW LEVEL SECURITY;
ALTER TABLE strands FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON strands TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON strands FOR SELECT TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON strands TO windrow_app;
GRANT SELECT (tenant_id, subscription, key, topic, done, due_at, settled, queue) ON strands TO windrow_system;

CREATE TABLE dead_letters (
  tenant_id    text        NOT NULL,
  subscription text        COLLATE "C" NOT NULL,
  message_id   uuid        NOT NULL,
  topic        text        COLLATE "C" NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  position     bigint      NOT NULL,
  attempts     integer     NOT NULL,
  error_class  text        NOT NULL,
  code         text        NOT NULL,
  reason       text        NOT NULL,
  died_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, subscription, message_id)
);
COMMENT ON TABLE dead_letters IS 'Messages that a subscription could not deliver within its budget, and why. The message itself stays as long as its letter.';
CREATE INDEX dead_letters_message ON dead_letters (tenant_id, topic, message_id);
CREATE INDEX dead_letters_died ON dead_letters (tenant_id, died_at);
ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY;
ALTER TABLE dead_letters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON dead_letters TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON dead_letters TO windrow_app;
