-- What programs and people look at page by page, in the order in which they look.

CREATE INDEX media_jobs_of_project ON media_jobs (tenant_id, project_id, created_at DESC, job_id DESC);
CREATE INDEX media_jobs_standing ON media_jobs (tenant_id, project_id, stage, created_at DESC, job_id DESC);
-- notices are few among the messages, which have no order in time but that of their topic's log
CREATE INDEX messages_told ON messages (tenant_id, published_at, message_id) WHERE starts_with(topic, 'notify.');
-- the batches of a run, in their order: of a large one there are thousands
DROP INDEX harvest_outbox_run;
CREATE INDEX harvest_outbox_run ON harvest_outbox (tenant_id, run_id, seq);
