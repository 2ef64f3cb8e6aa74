"""Words come later: what was written waits in a backlog until it can be found.

The backlog is written with the items, by trigger. Whoever takes a portion of it indexes the items as they are by then; a
revision that is already indexed is not overtaken by an older one, so any number may be at it.
"""

import time

from windrow.contracts.errors import WindrowError
from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit
from windrow.telemetry.catalogue import catalog as told

Q = load(__package__, "indexing.sql")

# rows of the backlog, each with up to 100 items
_PORTION = 40


async def index_some(database: Database, *, seconds: float) -> int:
    """Index the backlog of all tenants, the oldest first, for about so long: bulk loads go before. How many items.

    A tenant whose items cannot be indexed does not hold up the others: its error is raised when they are done.
    """
    began, total = time.monotonic(), 0
    failed: dict[str, WindrowError] = {}
    while time.monotonic() - began < seconds and not is_cancelled():
        tenant_id = None
        try:
            async with database.system() as tx:
                tenant_id = await tx.value(Q.next_tenant, failed=[*failed])
                if tenant_id is None:
                    break
                await tx.become(tenant_id)
                total += await _portion(tx)
        except WindrowError as error:
            if tenant_id is None:
                raise
            failed[tenant_id] = error
    if total:
        await tidy(database)
    told.SEARCH_BACKLOG.set(await database_backlog(database))
    for first in failed.values():
        raise first
    return total


async def index_tenant(database: Database, tenant_id: str) -> int:
    """Index all that a tenant has in the backlog now, and wait for what others have in hand. How many items."""
    async with database.tenant(tenant_id) as tx:
        newest: int | None = await tx.value(Q.newest)
    total = 0
    while newest is not None and not is_cancelled():
        async with database.tenant(tenant_id) as tx:
            count = await _portion(tx, newest)
            # what cannot be locked is being indexed: the lock is free when that is done, or given up
            if not count and await tx.value(Q.wait, newest=newest) is None:
                break
        total += count
    if total:
        await tidy(database)
    return total


async def database_backlog(database: Database) -> int:
    """How many items of all tenants wait."""
    async with database.system() as tx:
        count: int = await tx.value(Q.behind_everywhere)
    return count


async def tidy(database: Database) -> int:
    """Sort the words that were written last into the index, so that a search need not read them one by one; the pages."""
    row = await database.row(Q.tidy)
    pages: int = row["pages"] if row else 0
    if pages:
        emit("search.tidied", pages=pages)
    return pages


async def _portion(tx: Transaction, newest: int | None = None) -> int:
    count: int = await tx.value(Q.index, rows=_PORTION, newest=newest)
    return count
