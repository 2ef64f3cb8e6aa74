"""Quarantined records are tried again, from the settings to the catalog."""

from collections.abc import Sequence

from windrow import catalog, endpoints
from windrow.app.sources import Sources
from windrow.contracts.scope import Actor, Scope
from windrow.harvest import retrying
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Retried, Witness, unwitnessed
from windrow.harvest.settling import until_settled
from windrow.harvest.subscriber import Subscriber
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups


async def retried(
    database: Database,
    sources: Sources,
    scope: Scope,
    endpoint_id: str,
    entries: Sequence[Quarantined],
    *,
    actor: Actor,
    reason: str | None,
    witness: Witness = unwitnessed,
) -> list[Attempt]:
    """The entries of one endpoint, some at a time; what passes is persisted at once, unless somebody else does it."""
    async with database.tenant(scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
    attempts: list[Attempt] = []
    async with sources.open(endpoint, "quarantine", lambda: False) as connector:
        for begin in range(0, len(entries), retrying.AT_ONCE):
            some = entries[begin : begin + retrying.AT_ONCE]
            done = await retrying.retry(
                database, connector, endpoint, some, actor=actor, reason=reason, witness=witness
            )
            await _persisted(database, done)
            attempts += done.attempts
    return attempts


async def _persisted(database: Database, done: Retried) -> None:
    if done.lane:
        await until_settled(database, Subscriber(database, Wakeups(database.url)), done.lane, done.run_id)
        await catalog.index_tenant(database, done.lane.scope.tenant_id)
        await retrying.finish(database, done)
