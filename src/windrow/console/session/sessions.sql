-- open: in the transaction that used the code up; sessions of the tenant that are over go with it
WITH forgotten AS (
  DELETE FROM sessions WHERE tenant_id = current_tenant() AND expires_at < clock_timestamp()
)
INSERT INTO sessions (tenant_id, token_hash, project_id, subject, roles, anywhere, expires_at)
VALUES (current_tenant(), %(token_hash)s, %(project)s, %(subject)s, %(roles)s, %(anywhere)s, clock_timestamp() + %(longest)s::interval)
RETURNING project_id, subject, roles, anywhere, at_tenant, at_project, opened_at, expires_at;

-- find: one that lasts; `stale` to the minute, so that not every page is a write
SELECT project_id, subject, roles, anywhere, at_tenant, at_project, opened_at, expires_at,
       seen_at < clock_timestamp() - interval '1 minute' AS stale
  FROM sessions
 WHERE tenant_id = current_tenant() AND token_hash = %(token_hash)s
   AND expires_at > clock_timestamp() AND seen_at > clock_timestamp() - %(idle)s::interval;

-- touch: somebody is there
UPDATE sessions SET seen_at = clock_timestamp() WHERE tenant_id = current_tenant() AND token_hash = %(token_hash)s;

-- end: what the cookie holds is nobody's from here on
DELETE FROM sessions WHERE tenant_id = current_tenant() AND token_hash = %(token_hash)s;

-- look_at: another tenant's matters; only for those who may, which the table checks too
UPDATE sessions SET at_tenant = %(tenant)s, at_project = %(project)s
 WHERE tenant_id = current_tenant() AND token_hash = %(token_hash)s;
