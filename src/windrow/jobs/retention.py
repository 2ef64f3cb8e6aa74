"""Jobs that have ended are kept a while for people to look at, and then removed with their events."""

from datetime import timedelta

from windrow.postgres import Database, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit

Q = load(__package__)

KEEP = timedelta(days=7)
_AT_ONCE = 1000


async def prune(database: Database, *, keep: timedelta = KEEP) -> int:
    """Remove what ended longer ago than that, of all tenants; how many. What they made belongs to their kinds, and stays."""
    removed = 0
    while not is_cancelled():
        async with database.system() as tx:
            await tx.execute(Q.careful)
            gone: int = await tx.value(Q.prune, keep=keep, most=_AT_ONCE)
        removed += gone
        if gone < _AT_ONCE:
            break
    if removed:
        emit("jobs.pruned", jobs=removed)
    return removed
