-- invite: a new code; those that nobody used in time go with it
WITH forgotten AS (
  DELETE FROM login_codes WHERE tenant_id = current_tenant() AND expires_at < clock_timestamp()
)
INSERT INTO login_codes (tenant_id, code_hash, project_id, subject, roles, anywhere, issued_by, expires_at)
VALUES (current_tenant(), %(code_hash)s, %(project)s, %(subject)s, %(roles)s, %(anywhere)s, %(issued_by)s,
        clock_timestamp() + %(lifetime)s::interval)
RETURNING expires_at;

-- redeem: of two who come with one code at the same moment, the row is there for one
DELETE FROM login_codes
 WHERE tenant_id = current_tenant() AND code_hash = %(code_hash)s AND expires_at > clock_timestamp()
RETURNING project_id, subject, roles, anywhere;
