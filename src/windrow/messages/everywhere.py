"""Subscriptions that an operator wants in every tenant, without naming tenants.

A tenant's topic begins with its first message, and whoever publishes knows no settings. So the processes that relay look
now and then for topics that lack the subscription. It begins with what is kept: what was published meanwhile is not lost.
"""

from collections.abc import Awaitable, Callable, Iterable

from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Actor
from windrow.messages.subscription import BEGINNING, Subscription, subscribe, unsubscribe
from windrow.postgres import Database, load
from windrow.telemetry import emit

Q = load(__package__, "everywhere.sql")


async def subscribe_everywhere(database: Database, subscription: Subscription) -> int:
    """See that every tenant whose topic has begun is subscribed on these terms; how many tenants that are."""
    async with database.system() as tx:
        tenants = [row["tenant_id"] for row in await tx.rows(Q.begun, topic=subscription.topic)]
    return await _each(tenants, lambda tenant_id: _attach(database, tenant_id, subscription))


async def subscribe_newcomers(database: Database, subscription: Subscription) -> int:
    """Subscribe only those that are not; how many. Cheap enough to be asked every few seconds."""
    wish = {"topic": subscription.topic, "subscription": subscription.name}
    async with database.system() as tx:
        tenants = [row["tenant_id"] for row in await tx.rows(Q.newcomers, **wish)]
    return await _each(tenants, lambda tenant_id: _attach(database, tenant_id, subscription))


async def unsubscribe_everywhere(database: Database, name: str, *, actor: Actor, reason: str | None = None) -> int:
    """Remove it from every tenant, with what it still had to receive and its dead letters; from how many."""
    async with database.system() as tx:
        tenants = [row["tenant_id"] for row in await tx.rows(Q.subscribed, subscription=name)]

    async def detach(tenant_id: str) -> None:
        async with database.tenant(tenant_id) as tx:
            await unsubscribe(tx, name, actor=actor, reason=reason)

    return await _each(tenants, detach)


async def _attach(database: Database, tenant_id: str, subscription: Subscription) -> None:
    async with database.tenant(tenant_id) as tx:
        is_new = await subscribe(tx, subscription, since=BEGINNING)
    if is_new:
        emit(
            "subscription.attached",
            tenant_id=tenant_id,
            topic=subscription.topic,
            subscription=subscription.name,
            sink=subscription.sink,
        )


async def _each(tenants: Iterable[str], act: Callable[[str], Awaitable[None]]) -> int:
    done, failed = 0, None
    for tenant_id in tenants:
        try:
            await act(tenant_id)
            done += 1
        except WindrowError as error:
            failed = failed or error  # the trouble of one tenant is not the others'
    if failed:
        raise failed
    return done
