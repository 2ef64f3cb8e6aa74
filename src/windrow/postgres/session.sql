-- configure: every pooled connection begins as the application role, which without a tenant sees nothing
SET search_path = windrow, public;
SET ROLE windrow_app;
SET TimeZone = 'UTC'; -- the last day of the calendar is not beyond it in any zone of a server's own
SET idle_in_transaction_session_timeout = '2min'; -- a process that was stopped must not keep what it has locked from the others for ever

-- begin_tenant: all that begins a transaction in one round trip, as one simple query
BEGIN;
SELECT set_config('windrow.tenant_id', {tenant}, true);

-- begin_system: to claim across tenants
BEGIN;
SET LOCAL ROLE windrow_system;

-- become: after the claim, the work is done as its tenant
SET LOCAL ROLE windrow_app;
SELECT set_config('windrow.tenant_id', {tenant}, true);

-- listen: be woken by a channel
LISTEN {channel};
