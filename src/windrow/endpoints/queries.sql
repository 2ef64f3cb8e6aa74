-- find: one endpoint, removed or not
SELECT tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
       created_at, updated_at, last_checked_at, removed_at
  FROM endpoints
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id = %(endpoint)s;

-- seize: the same, held until the end of the transaction: what is decided on it stays true
SELECT tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
       created_at, updated_at, last_checked_at, removed_at
  FROM endpoints
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id = %(endpoint)s
   FOR UPDATE;

-- listed: in the order of their names, of one project or of all
SELECT tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
       created_at, updated_at, last_checked_at, removed_at
  FROM endpoints
 WHERE tenant_id = current_tenant()
   AND (%(project)s::text IS NULL OR project_id = %(project)s)
   AND (%(removed)s OR removed_at IS NULL)
 ORDER BY project_id, endpoint_id;

-- standings: how each of a project, or of all, is in one word; and what keeps it from being well
SELECT project_id, endpoint_id, condition,
       CASE condition WHEN 'halted' THEN halted_why
                      WHEN 'paused' THEN paused_why
                      WHEN 'waiting' THEN coalesce(step_reason, message, code)
                      WHEN 'failed' THEN coalesce(message, step_reason, code)
                      WHEN 'running' THEN CASE WHEN run_state = 'running' THEN coalesce(message, code) END
       END AS why
  FROM endpoint_standings
 WHERE tenant_id = current_tenant() AND (%(project)s::text IS NULL OR project_id = %(project)s);

-- page: of one project, in the order of their names, behind the last one seen
SELECT tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
       created_at, updated_at, last_checked_at, removed_at
  FROM endpoints
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id > %(after)s
   AND (%(removed)s OR removed_at IS NULL)
 ORDER BY endpoint_id LIMIT %(limit)s;

-- names: to say which one was probably meant
SELECT endpoint_id FROM endpoints
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND removed_at IS NULL
 ORDER BY endpoint_id;

-- add: a new name, or one that was removed; a living one is left alone and no row is answered
INSERT INTO endpoints AS e (tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size)
VALUES (%(tenant)s, %(project)s, %(endpoint)s, %(connector)s, %(config)s, %(credential_ref)s, %(schedule)s, %(page_size)s)
ON CONFLICT (tenant_id, project_id, endpoint_id) DO UPDATE
   SET connector = excluded.connector, config = excluded.config, credential_ref = excluded.credential_ref,
       schedule = excluded.schedule, page_size = excluded.page_size,
       version = e.version + 1, updated_at = now(), last_checked_at = NULL, removed_at = NULL
 WHERE e.removed_at IS NOT NULL
RETURNING tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
          created_at, updated_at, last_checked_at, removed_at;

-- edit: over the version that the editor has seen
UPDATE endpoints
   SET config = %(config)s, credential_ref = %(credential_ref)s, schedule = %(schedule)s, page_size = %(page_size)s,
       version = version + 1, updated_at = now()
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id = %(endpoint)s
   AND version = %(expected)s AND removed_at IS NULL
RETURNING tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
          created_at, updated_at, last_checked_at, removed_at;

-- remove: the row stays, since the catalog's items carry its name
UPDATE endpoints
   SET version = version + 1, updated_at = now(), removed_at = now()
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id = %(endpoint)s
   AND version = %(expected)s AND removed_at IS NULL
RETURNING tenant_id, project_id, endpoint_id, connector, config, credential_ref, schedule, page_size, version,
          created_at, updated_at, last_checked_at, removed_at;

-- checked: the source was asked; not an edit, so the version stays. The latest moment wins, whoever comes last
UPDATE endpoints
   SET last_checked_at = greatest(last_checked_at, clock_timestamp())
 WHERE tenant_id = %(tenant)s AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND removed_at IS NULL;
