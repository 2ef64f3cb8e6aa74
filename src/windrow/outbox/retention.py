"""Settled batches are kept a while for people to look at, and then removed (HV-23)."""

from windrow.postgres import Database, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit
from windrow.telemetry.catalogue import harvest as told

Q = load(__package__, "retention.sql")

KEEP_HOURS = 48.0
_AT_ONCE = 500


async def purge(database: Database, *, keep_hours: float = KEEP_HOURS) -> int:
    """Remove what was settled longer ago than that, of all tenants; how many batches. What is pending always stays."""
    removed = 0
    while not is_cancelled():
        async with database.system() as tx:
            gone = await tx.execute(Q.purge, hours=keep_hours, limit=_AT_ONCE)
        removed += gone
        if gone < _AT_ONCE:
            break
    if removed:
        emit("outbox.purged", batches=removed)
    return removed


async def measure(database: Database) -> None:
    """Set the gauges: what waits, how long, and which lanes are stopped."""
    async with database.system() as tx:
        row = await tx.row(Q.measure)
    assert row, "a count always answers"
    told.PENDING.set(row["pending"])
    told.LAG.set(row["lag"])
    told.STOPPED.set(row["stopped"])
