-- The ground: the three roles, who acts (audit), and what was already asked (idempotency).
--
--   owner   whoever runs this; owns the tables and, since row-level security is forced, sees no tenant's rows
--   app     row-level security, the tenant set per transaction, default deny
--   system  claims across tenants by policies on queue tables only, then becomes app for the work
--
-- Neither needs a superuser nor BYPASSRLS. Where roles may not be created, an administrator makes both beforehand.
DO $$
DECLARE
  role name;
  modern boolean := current_setting('server_version_num')::int >= 160000; -- before 16, a member may always become the role
BEGIN
  FOREACH role IN ARRAY ARRAY['windrow_app', 'windrow_system']::name[] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this server was migrated at the same moment: roles are the server's
      END;
    END IF;
    IF pg_has_role(current_user, role, CASE WHEN modern THEN 'SET' ELSE 'MEMBER' END) THEN
      CONTINUE;
    END IF;
    -- to become a role is all that is needed; to inherit its policies would open the tables to their owner
    EXECUTE format('GRANT %I TO %I', role, current_user)
      || CASE WHEN modern THEN ' WITH INHERIT FALSE, SET TRUE' ELSE '' END;
  END LOOP;
END $$;

GRANT USAGE ON SCHEMA windrow TO windrow_app, windrow_system;

-- The tenant of this transaction, or NULL: every policy asks this.
CREATE FUNCTION current_tenant() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('windrow.tenant_id', true), '');

-- Set the tenant from inside a single statement; a transaction that has one keeps it.
CREATE FUNCTION enter_tenant(tenant text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_tenant() IS DISTINCT FROM tenant THEN
    IF current_tenant() IS NOT NULL THEN
      RAISE insufficient_privilege USING MESSAGE = format('this transaction is tenant %s, not %s', current_tenant(), tenant);
    END IF;
    PERFORM set_config('windrow.tenant_id', tenant, true);
  END IF;
END $$;

CREATE TABLE audit_log (
  tenant_id      text        NOT NULL,
  id             bigint      GENERATED ALWAYS AS IDENTITY,
  at             timestamptz NOT NULL DEFAULT clock_timestamp(),
  project_id     text,
  actor          text        NOT NULL,
  authority      text        NOT NULL,
  action         text        NOT NULL,
  subject        text        NOT NULL,
  before_hash    text,
  after_hash     text,
  reason         text,
  spec_ref       text,
  request_id     text,
  correlation_id text,
  details        jsonb,
  PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE audit_log IS 'Who changed what, by which authority, and when: hashes of before and after, never values. Rows are only ever added.';
CREATE INDEX audit_log_subject ON audit_log (tenant_id, subject, id);
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_log TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT ON audit_log TO windrow_app;

CREATE TABLE idempotency_keys (
  tenant_id    text        NOT NULL,
  key          text        NOT NULL,
  request_hash text        NOT NULL,
  response     jsonb,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key)
);
COMMENT ON TABLE idempotency_keys IS 'What was answered to a request that carried a key, so that the same request again gets the same answer and no second effect.';
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency_keys TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY system ON idempotency_keys TO windrow_system USING (true);
GRANT SELECT, INSERT, UPDATE ON idempotency_keys TO windrow_app;
GRANT SELECT, DELETE ON idempotency_keys TO windrow_system;
