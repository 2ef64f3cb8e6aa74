-- A tenant with much of everything, for whoever wants to see the console full. Beside the items, which `bench/items.py` makes.

-- endpoints: five with all the items, and many more
INSERT INTO endpoints (tenant_id, project_id, endpoint_id, connector, config, schedule, created_at)
SELECT current_tenant(), 'main', CASE WHEN n <= 5 THEN 'repo' || n - 1 ELSE 'source-' || lpad(n::text, 3, '0') END,
       ('{git,github,confluence,onedrive,postgres,files,rest}'::text[])[1 + n %% 7], '{}', '1h', now() - interval '40 days'
  FROM generate_series(1, %(endpoints)s::integer) AS n;

-- controls: some are paused, some are halted
INSERT INTO endpoint_controls (tenant_id, project_id, endpoint_id, paused_at, paused_by, paused_why, halted_at, halted_code, halted_why)
SELECT tenant_id, project_id, endpoint_id,
       CASE WHEN n %% 11 = 0 THEN now() END, CASE WHEN n %% 11 = 0 THEN 'anna' END, CASE WHEN n %% 11 = 0 THEN 'it is being moved' END,
       CASE WHEN n %% 17 = 0 THEN now() END, CASE WHEN n %% 17 = 0 THEN 'UNAUTHORIZED' END,
       CASE WHEN n %% 17 = 0 THEN 'the token was refused: it has run out' END
  FROM (SELECT *, row_number() OVER (ORDER BY endpoint_id) AS n FROM endpoints WHERE tenant_id = current_tenant()) AS e;

-- runs: as many of each endpoint, the latest a few minutes ago
INSERT INTO harvest_runs (tenant_id, run_id, project_id, endpoint_id, lane, state, begun_at, ended_at, pages, fetched, published,
                          repeats, quarantined, bytes, outcome, code, error_class, message, settled)
SELECT tenant_id, endpoint_id || '-run-' || back, 'main', endpoint_id, 'live',
       CASE WHEN back = 0 AND n %% 9 = 0 THEN 'running' ELSE 'ended' END,
       at, CASE WHEN back = 0 AND n %% 9 = 0 THEN NULL ELSE at + interval '95 s' END,
       4, 400 + 7 * back, 390, 8, 2, 1250000,
       CASE WHEN back = 0 AND n %% 9 = 0 THEN NULL WHEN (n + back) %% 13 = 0 THEN 'failed' ELSE 'done' END,
       CASE WHEN (n + back) %% 13 = 0 THEN 'NETWORK' END, CASE WHEN (n + back) %% 13 = 0 THEN 'RetryableTransient' END,
       CASE WHEN (n + back) %% 13 = 0 THEN 'the source closed the connection in the middle of a page' END,
       '{"created": 40, "updated": 60, "deleted": 3, "unchanged": 287, "outdated": 0}'
  FROM (SELECT e.*, row_number() OVER (ORDER BY endpoint_id) AS n FROM endpoints e WHERE tenant_id = current_tenant()) AS e,
       generate_series(0, %(runs)s::integer / %(endpoints)s::integer - 1) AS back,
       LATERAL (SELECT now() - (12 + 60 * back + n %% 47) * interval '1 minute' AS at) AS moment;

-- steps: the lifecycle of the last ten runs of each
INSERT INTO sync_transitions (tenant_id, project_id, endpoint_id, workflow_id, number, state, run_id, failures, at)
SELECT tenant_id, 'main', endpoint_id, 'sync/' || endpoint_id || '/' || back, step,
       ('{Pending,Running,WaitingCursorAdvance,Completed}'::text[])[1 + step], CASE WHEN step > 0 THEN endpoint_id || '-run-' || back END, 0,
       now() - (12 + 60 * back) * interval '1 minute' + step * interval '20 s'
  FROM endpoints, generate_series(0, 9) AS back, generate_series(0, 3) AS step WHERE tenant_id = current_tenant();

-- batches: those of the last hour too, so that the pace is drawn; some are still pending
INSERT INTO harvest_outbox (tenant_id, project_id, endpoint_id, lane, seq, batch_id, epoch, observation, run_id, source_system, connector,
                            connector_version, spec_ref, fetched_at, items, relations, tombstones, bytes, encoding, payload, status,
                            created_at, settled_at, created, updated, deleted, unchanged, outdated)
SELECT tenant_id, 'main', endpoint_id, 'live', seq, endpoint_id || '-b' || seq, 1, seq, endpoint_id || '-run-' || (60 - seq) / 6, connector, connector,
       '1', 'directive.x@1', at, 100, 10, 1, 30000, 'json', '{}', CASE WHEN seq > 58 THEN 'pending' ELSE 'processed' END,
       at, CASE WHEN seq > 58 THEN NULL ELSE at END, 20, 30, 1, 49, 0
  FROM endpoints, generate_series(1, 60) AS seq, LATERAL (SELECT now() - (61 - seq) * interval '1 minute' AS at) AS moment
 WHERE tenant_id = current_tenant();

-- lanes: one in forty stands still
INSERT INTO outbox_lanes (tenant_id, project_id, endpoint_id, lane, served_at, stopped_at, stopped_seq, stopped_code, stopped_why)
SELECT tenant_id, 'main', endpoint_id, 'live', now(), CASE WHEN n %% 40 = 0 THEN now() END, CASE WHEN n %% 40 = 0 THEN 59 END,
       CASE WHEN n %% 40 = 0 THEN 'SCHEMA' END, CASE WHEN n %% 40 = 0 THEN 'the batch cannot be read' END
  FROM (SELECT *, row_number() OVER (ORDER BY endpoint_id) AS n FROM endpoints WHERE tenant_id = current_tenant()) AS e;

-- quarantine: a dozen reasons
INSERT INTO quarantine (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, external_id, reasons, excerpt, state, last_at)
SELECT current_tenant(), 'main', 'repo' || n %% 5, lpad(to_hex(n), 16, '0'), 'live', 'repo' || n %% 5 || '-run-0', 1, 'page 2, record ' || n, 'thing-' || n,
       jsonb_build_array(jsonb_build_object('code', 'SCHEMA', 'why', 'schema', 'path', '/field' || n %% 12, 'message', 'is too long')),
       '{"display_name": ""}', CASE WHEN n %% 10 = 0 THEN 'dropped' ELSE 'open' END, now() - n * interval '1 s'
  FROM generate_series(1, %(quarantined)s::integer) AS n;

-- jobs: most are done
INSERT INTO jobs (tenant_id, project_id, kind, payload, status, attempt_count, worker, lease, last_heartbeat_at, progress, failure_code,
                  error_class, error_code, error, created_at, started_at, finished_at)
SELECT current_tenant(), 'main', ('{clip,probe}'::text[])[1 + n %% 2], '{"source": "talk.mp4"}', status, 1 + n %% 3,
       CASE WHEN status = 'processing' THEN 'worker-1' END, CASE WHEN status = 'processing' THEN interval '1 minute' END, at,
       CASE WHEN status IN ('processing', 'done') THEN 50 END,
       CASE WHEN status = 'failed' THEN 'TIMEOUT' END, CASE WHEN status = 'failed' THEN 'RetryableTransient' END,
       CASE WHEN status = 'failed' THEN 'TIMEOUT' END, CASE WHEN status = 'failed' THEN 'no progress in a minute' END,
       at, at, CASE WHEN status IN ('done', 'failed', 'cancelled') THEN at + interval '40 s' END
  FROM generate_series(1, %(jobs)s::integer) AS n,
       LATERAL (SELECT now() - (%(jobs)s::integer - n) * interval '10 s' AS at,
                       CASE WHEN n %% 50 = 1 THEN 'failed' WHEN n %% 70 = 2 THEN 'cancelled'
                            WHEN n > %(jobs)s::integer - 64 THEN 'processing' WHEN n > %(jobs)s::integer - 4000 THEN 'queued'
                            ELSE 'done' END AS status) AS made;

-- job_events: four of each
INSERT INTO job_events (tenant_id, job_id, event, at, attempt, epoch, worker)
SELECT tenant_id, id, ('{enqueued,claimed,progress,done}'::text[])[1 + step], created_at + step * interval '10 s', 1, 1, 'worker-1'
  FROM jobs, generate_series(0, 3) AS step WHERE tenant_id = current_tenant();

-- media: a tenth of the jobs
INSERT INTO media_jobs (tenant_id, job_id, project_id, request_id, media, created_at)
SELECT current_tenant(), 'media-' || n, 'main', 'request-' || n, '{"type": "file", "url": "file:///talk.mp4"}', now() - n * interval '1 minute'
  FROM generate_series(1, %(jobs)s::integer / 10) AS n;

-- media_enriched: most go on
UPDATE media_jobs SET stage = 'MetadataReady', metadata_version = 1 WHERE tenant_id = current_tenant() AND job_id !~ '0$';

-- media_processing: and on
UPDATE media_jobs SET stage = 'Processing' WHERE tenant_id = current_tenant() AND stage = 'MetadataReady' AND job_id !~ '1$';

-- media_ended: well, or not
UPDATE media_jobs SET stage = CASE WHEN job_id ~ '7$' THEN 'Failed' ELSE 'Completed' END
 WHERE tenant_id = current_tenant() AND stage = 'Processing' AND job_id !~ '2$';

-- topics: what is told, and who listens
INSERT INTO topics (tenant_id, name, last_position)
SELECT current_tenant(), 'topic-' || n, %(messages)s::integer FROM generate_series(1, 20) AS n;

-- subscriptions: three of each topic
INSERT INTO subscriptions (tenant_id, name, topic, ack_deadline, retry_first, retry_ceiling, retry_factor, retry_spread)
SELECT tenant_id, name || '-' || n, name, '1 minute', '1 s', '1 minute', 2, 0.1
  FROM topics, generate_series(1, 3) AS n WHERE tenant_id = current_tenant();

-- messages: spread over the topics
INSERT INTO messages (tenant_id, topic, message_id, key, payload, attributes, published_at)
SELECT current_tenant(), 'topic-' || 1 + n %% 20, md5(n::text)::uuid, 'key-' || n %% 1000, '{"what": "changed"}', '{}', now() - n * interval '1 s'
  FROM generate_series(1, %(messages)s::integer) AS n;

-- topic_log: where each message stands
INSERT INTO topic_log (tenant_id, topic, seq, key, message_id, position, routed_at)
SELECT tenant_id, topic, n, key, message_id, n, now()
  FROM (SELECT *, row_number() OVER (ORDER BY published_at) AS n FROM messages WHERE tenant_id = current_tenant()) AS m;

-- dead_letters: one in ten
INSERT INTO dead_letters (tenant_id, subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at)
SELECT tenant_id, topic || '-1', message_id, topic, key, seq, 5, 'RetryableTransient', 'TIMEOUT', 'no answer in 30 s', now() - seq * interval '1 s'
  FROM topic_log WHERE tenant_id = current_tenant() AND seq %% 10 = 0;

-- audit: who did what
INSERT INTO audit_log (tenant_id, at, project_id, actor, authority, action, subject, reason)
SELECT current_tenant(), now() - (%(audited)s::integer - n) * interval '1 minute', 'main', ('{anna,otto,olga}'::text[])[1 + n %% 3], 'session',
       ('{schedule.pause,schedule.resume,endpoint.edit,job.cancel}'::text[])[1 + n %% 4], 'endpoints/repo' || n %% 5, 'as agreed'
  FROM generate_series(1, %(audited)s::integer) AS n;

-- kv: many keys
INSERT INTO kv (tenant_id, key, version, value, value_hash, purpose, producer, consumer_hints, last_writer, request_id, updated_at)
SELECT current_tenant(), 'team-' || n %% 100 || '/thing-' || n, 3, '{"hello": "world"}', md5(n::text), 'state', 'bench', '[]', 'bench', n::text, now()
  FROM generate_series(1, %(keys)s::integer) AS n;

-- run_logs: those of the last runs
INSERT INTO run_logs (tenant_id, run_id, project_id, lines, serious)
SELECT tenant_id, run_id, 'main', 200, 0 FROM harvest_runs WHERE tenant_id = current_tenant() AND run_id LIKE '%%-run-0';

-- run_lines: 200 of each
INSERT INTO run_lines (tenant_id, run_id, number, at, level, event, fields)
SELECT tenant_id, run_id, n, now(), 'INFO', 'harvest.page_read', '{"page": 3, "records": 100}'
  FROM run_logs, generate_series(1, 200) AS n WHERE tenant_id = current_tenant();
