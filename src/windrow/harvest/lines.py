"""The log of a run: the lines that were said about it, in the order in which they were written down.

A line's number is its place among all that were said. Of very many the first, the latest and the serious ones are kept:
a gap between two numbers is what was left out.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit
from windrow.telemetry.declare import Level

Q = load(__package__, "lines.sql")

_LOGS_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What was said about a run. A gap between two numbers is what was left out."""

    number: int
    at: datetime
    level: str
    event: str
    fields: dict[str, Any]


async def lines(
    tx: Transaction, run_id: str, *, after: int = 0, level: Level = Level.INFO, limit: int = 100
) -> list[Line]:
    """Those of this level and above, in their order, behind the number."""
    return await tx.into(Line, Q.page, run_id=run_id, after=after, levels=at_least(level), limit=limit)


async def latest(tx: Transaction, run_id: str, *, level: Level = Level.INFO, limit: int = 100) -> list[Line]:
    """The last ones of this level and above, in their order."""
    found = await tx.into(Line, Q.latest, run_id=run_id, levels=at_least(level), limit=limit)
    return found[::-1]


def at_least(level: Level) -> list[str]:
    """The names of this level and those above."""
    return [str(each) for each in list(Level)[list(Level).index(level) :]]


async def purge(database: Database, *, keep: timedelta) -> int:
    """Remove the logs to which nothing was added for so long, of all tenants; of how many runs."""
    removed = 0
    while not is_cancelled():
        async with database.system() as tx:
            gone = await tx.execute(Q.purge, keep=keep, limit=_LOGS_AT_ONCE)
        removed += gone
        if gone < _LOGS_AT_ONCE:
            break
    if removed:
        emit("run_log.purged", runs=removed)
    return removed
