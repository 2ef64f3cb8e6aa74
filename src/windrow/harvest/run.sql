-- begin: at its first slice, and again at each later one; what it has met stays with it until it gets on, unless it had ended
INSERT INTO harvest_runs AS known (tenant_id, run_id, project_id, endpoint_id, lane)
VALUES (current_tenant(), %(run_id)s, %(project)s, %(endpoint)s, %(lane)s)
ON CONFLICT (tenant_id, run_id) DO UPDATE
   SET state = 'running', ended_at = NULL, outcome = NULL,
       (error_class, code, message) = (SELECT known.error_class, known.code, known.message WHERE known.state = 'running');

-- stumble: why a run that is under way does not get on
UPDATE harvest_runs SET error_class = %(error_class)s, code = %(code)s, message = %(message)s
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND state = 'running';

-- count: in the transaction of the page, by which it gets on
UPDATE harvest_runs
   SET error_class = NULL, code = NULL, message = NULL,
       pages = pages + %(pages)s, fetched = fetched + %(fetched)s, published = published + %(published)s, repeats = repeats + %(repeats)s,
       quarantined = quarantined + %(quarantined)s, bytes = bytes + %(bytes)s
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s
RETURNING pages, fetched, published, repeats, quarantined, bytes;

-- counts: so far
SELECT pages, fetched, published, repeats, quarantined, bytes FROM harvest_runs
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s;

-- verify: what became of its batches; one without items that completes a listing counts as pending too
SELECT count(*) AS batches,
       count(*) FILTER (WHERE status = 'pending') AS pending,
       coalesce(sum(created), 0)::bigint AS created, coalesce(sum(updated), 0)::bigint AS updated,
       coalesce(sum(deleted), 0)::bigint AS deleted, coalesce(sum(unchanged), 0)::bigint AS unchanged,
       coalesce(sum(outdated), 0)::bigint AS outdated,
       coalesce(sum(items) FILTER (WHERE status = 'discarded'), 0)::bigint AS discarded
  FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s;

-- end: how it ended
UPDATE harvest_runs
   SET state = 'ended', ended_at = clock_timestamp(), outcome = %(outcome)s, error_class = %(error_class)s, code = %(code)s,
       message = %(message)s, settled = coalesce(%(settled)s, settled)
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s;

-- last_well: when a run of the endpoint last ended well, in whichever lane; found from the latest backwards
SELECT ended_at FROM harvest_runs
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND outcome = 'done'
 ORDER BY begun_at DESC LIMIT 1;

-- page: for people, the latest first, behind the last one of the page before
SELECT run_id, project_id, endpoint_id, lane, state, begun_at, ended_at, pages, fetched, published, repeats, quarantined, bytes,
       outcome, error_class, code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant()
   AND (%(project)s::text IS NULL OR project_id = %(project)s)
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(standing)s::text IS NULL OR coalesce(outcome, state) = %(standing)s)
   AND (begun_at, run_id) < (coalesce(%(begun_at)s::timestamptz, 'infinity'), coalesce(%(run_id)s::text, ''))
 ORDER BY begun_at DESC, run_id DESC LIMIT %(limit)s;

-- of_project: by the whole id, and no other project's
SELECT run_id, project_id, endpoint_id, lane, state, begun_at, ended_at, pages, fetched, published, repeats, quarantined, bytes,
       outcome, error_class, code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND project_id = %(project)s;

-- find: by the id, or the beginning of it
SELECT run_id, project_id, endpoint_id, lane, state, begun_at, ended_at, pages, fetched, published, repeats, quarantined, bytes,
       outcome, error_class, code, message, settled
  FROM harvest_runs
 WHERE tenant_id = current_tenant() AND starts_with(run_id, %(run_id)s)
 ORDER BY run_id <> %(run_id)s LIMIT 2;
