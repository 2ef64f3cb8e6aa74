"""What the relay's host does now and then: remove what was delivered long ago, and measure how far behind delivery is."""

from datetime import timedelta

from windrow.postgres import Database, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import messages

Q = load(__package__, "retention.sql")


async def purge(database: Database, *, keep: timedelta, batch: int = 1000) -> int:
    """Remove messages older than their topic's retention (`keep` where it has none) that nobody waits for; how many."""
    async with database.system() as tx:
        topics = await tx.rows(Q.topics)
    total = 0
    for row in topics:
        total += await _purge_topic(
            database, row["tenant_id"], row["name"], row["keep"] if row["keep"] is not None else keep, batch
        )
    return total


async def _purge_topic(database: Database, tenant_id: str, topic: str, keep: timedelta, batch: int) -> int:
    purged, after, may_go_on = 0, 0, True
    while may_go_on:
        async with database.tenant(tenant_id) as tx:
            if not await tx.value(Q.hold_topic, topic=topic):
                break
            row = await tx.row(Q.purge, topic=topic, keep=keep, after=after, limit=batch)
        assert row, "an aggregate always answers"
        purged += row["purged"]
        after, may_go_on = row["reached"], row["may_go_on"]
    if purged:
        messages.PURGED.add(purged, topic=topic)
        emit("messages.purged", tenant_id=tenant_id, topic=topic, messages=purged)
    return purged


async def measure_lag(database: Database) -> dict[str, float]:
    """How old the oldest undelivered message of each topic is, in seconds, over all tenants; set as a metric too."""
    async with database.system() as tx:
        lags = {row["topic"]: row["seconds"] for row in await tx.rows(Q.lag)}
    for topic, seconds in lags.items():
        messages.LAG.set(seconds, topic=topic)
    return lags
