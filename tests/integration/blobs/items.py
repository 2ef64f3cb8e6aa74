"""Items to link to, as a harvest would have left them."""

from uuid import UUID

import psycopg

from windrow.contracts.identity import Identity
from windrow.contracts.scope import Scope

INSERT = """INSERT INTO items (tenant_id, item_id, project_id, endpoint_id, source_system, entity_type, external_id,
    display_name, owners, labels, deleted, attributes, content_hash, observation, run_id, fetched_at, connector,
    connector_version, spec_ref, first_run_id, first_seen_at, changed_at)
  VALUES (%(tenant)s, %(id)s, %(project)s, %(endpoint)s, 'git', 'file', %(external)s, %(external)s, '{}', '{}', %(deleted)s,
    '{}', 'hash', 1, 'run', now(), 'git', '1', 'spec', 'run', now(), now())
  ON CONFLICT (tenant_id, item_id) DO UPDATE SET deleted = EXCLUDED.deleted"""


def item_id(tenant: str, external_id: str, project: str = "main", endpoint: str = "repo") -> UUID:
    return UUID(Identity(Scope(tenant, project), endpoint).item_id(external_id))


def put_item(
    database_url: str, tenant: str, external_id: str = "a.txt", *, project: str = "main", deleted: bool = False
) -> UUID:
    """An item, or its new state."""
    found = item_id(tenant, external_id, project)
    with psycopg.connect(database_url) as connection:
        connection.execute("SET search_path = windrow, public")
        connection.execute("SET ROLE windrow_app")
        connection.execute("SELECT set_config('windrow.tenant_id', %s, false)", (tenant,))
        values = {"tenant": tenant, "id": found, "project": project, "endpoint": "repo", "external": external_id}
        connection.execute(INSERT, {**values, "deleted": deleted})
    return found
