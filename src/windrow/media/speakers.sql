-- hints: those of the request before those of the channel, in one statement
SELECT name, role, kind AS source FROM speakers
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND ((kind = 'request' AND about = %(request)s) OR (kind = 'channel' AND about = %(channel)s))
 ORDER BY kind DESC, name
 LIMIT %(limit)s;

-- listed: for people; all of a project, or of one request or channel
SELECT kind, about, name, role, updated_at FROM speakers
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(about_kind)s::text IS NULL OR (kind = %(about_kind)s AND about = %(about_id)s))
 ORDER BY kind, about, name
 LIMIT %(limit)s;

-- role_of: what is there before a change, kept from others until it is made
SELECT role FROM speakers
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND kind = %(kind)s AND about = %(about)s AND name = %(name)s
   FOR UPDATE;

-- put: a new entry, or another role for one
INSERT INTO speakers (tenant_id, project_id, kind, about, name, role)
VALUES (current_tenant(), %(project)s, %(kind)s, %(about)s, %(name)s, %(role)s)
ON CONFLICT (tenant_id, project_id, kind, about, name) DO UPDATE SET role = excluded.role, updated_at = clock_timestamp();

-- remove: the role that it had, or no row
DELETE FROM speakers
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND kind = %(kind)s AND about = %(about)s AND name = %(name)s
RETURNING role;
