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
