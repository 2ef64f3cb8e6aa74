-- listed: the latest first, a page at a time by the last one seen
SELECT run_id, endpoint_id, lane, coalesce(outcome, state) AS outcome, begun_at, ended_at, pages, fetched, published, repeats, quarantined,
       code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (begun_at, run_id) < (coalesce(%(before)s::timestamptz, 'infinity'), %(before_id)s)
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(outcome)s::text IS NULL OR coalesce(outcome, state) = %(outcome)s)
 ORDER BY begun_at DESC, run_id DESC LIMIT %(limit)s;

-- one: a run
SELECT run_id, project_id, endpoint_id, lane, state, coalesce(outcome, state) AS outcome, begun_at, ended_at, pages, fetched, published,
       repeats, quarantined, bytes, error_class, code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND run_id = %(run_id)s;

-- became: what became of its batches so far
SELECT count(*) AS batches, count(*) FILTER (WHERE status = 'pending') AS pending,
       coalesce(sum(created), 0)::bigint AS created, coalesce(sum(updated), 0)::bigint AS updated,
       coalesce(sum(deleted), 0)::bigint AS deleted, coalesce(sum(unchanged), 0)::bigint AS unchanged,
       coalesce(sum(outdated), 0)::bigint AS outdated,
       coalesce(sum(items) FILTER (WHERE status = 'discarded'), 0)::bigint AS discarded
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s;

-- batches: the last ones; never what is in them
SELECT seq, batch_id, status, items, relations, tombstones, bytes, created_at, settled_at, created, updated, deleted, unchanged
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s
 ORDER BY seq DESC LIMIT %(limit)s;

-- steps: of the lifecycle that began it, in their order; those of earlier and later tries are told with it
SELECT t.number, t.state, t.at, t.run_id, t.reason, t.error_class, t.code, t.failures, t.next_retry_at, t.workflow_id,
       lead(t.at) OVER (ORDER BY t.number) AS until
  FROM sync_transitions t
 WHERE t.tenant_id = current_tenant()
   AND t.workflow_id = (SELECT s.workflow_id FROM sync_transitions s
                         WHERE s.tenant_id = current_tenant() AND s.project_id = %(project)s AND s.endpoint_id = %(endpoint)s
                           AND s.at >= %(begun_at)s::timestamptz - interval '1 day'
                           AND s.at <= coalesce(%(ended_at)s::timestamptz, clock_timestamp()) + interval '1 day'
                           AND s.run_id = %(run_id)s
                         LIMIT 1)
 ORDER BY t.number DESC LIMIT 60;

-- refused: what the run put into quarantine and nobody has dealt with
SELECT id, position, external_id, reasons, left(excerpt, 300) AS excerpt, times, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND state = 'open'
   AND last_at >= %(begun_at)s AND run_id = %(run_id)s
 ORDER BY last_at DESC LIMIT 5;
