"""Search as the application role, among a million items of one tenant, with words as unevenly frequent as in life."""

import time
from statistics import quantiles
from typing import Any

from psycopg import AsyncConnection

from bench.figures import Bench
from bench.items import FILL, fill, vocabulary
from windrow import catalog
from windrow.catalog import Filters
from windrow.catalog.indexing import tidy
from windrow.contracts.scope import Scope
from windrow.postgres import Database

ITEMS = 1_000_000
ROUNDS = 12
MORE = 20_000
LARGE, SMALL = Scope("bench-large", "main"), Scope("bench-small", "main")

# rare, common, beginnings, several words, phrases, what must not be there, filters, nothing at all
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("harvelerb ", {}),
    ("koposixc", {}),
    ("c4ca4238", {}),
    ("src", {}),
    ("com ", {}),
    ("report ", {}),
    ("s", {}),
    ("harv", {}),
    ("src main", {}),
    ("com py ", {}),
    ("src harvelerb", {}),
    ("report service index", {}),
    ("kosteing kosteal", {}),
    ('"src main"', {}),
    ('"report service"', {}),
    ("src -main", {}),
    ("src", {"endpoint": "repo1"}),
    ("main test", {"entity_type": "page"}),
    ("docs", {"label": "docs"}),
    ("src", {"owner": "bano@example.com"}),
    ("src", {"deleted": True}),
    ("nothing of that kind", {}),
)


async def run(bench: Bench) -> None:
    """Measure on a database that may be thrown away."""
    async with await AsyncConnection.connect(bench.database_url, autocommit=True) as owner:
        await owner.execute("SET search_path = windrow, public")
        await vocabulary(owner)
        async with Database(bench.database_url, size=1) as database:
            await fill(database, SMALL, 1000)
            await fill(database, LARGE, ITEMS)
            for scope in (SMALL, LARGE):
                await catalog.index_tenant(database, scope.tenant_id)
            await owner.execute("VACUUM ANALYZE items, search_words, search_backlog")
            for name, scope in (("", LARGE), ("small_tenant_", SMALL)):
                spent = [await _timed(database, scope, *question) for _ in range(ROUNDS) for question in QUESTIONS]
                bench.report(f"search.{name}p50_ms", _centile(spent, 50) * 1000, "ms")
                bench.report(f"search.{name}p95_ms", _centile(spent, 95) * 1000, "ms", "< 20")
            bench.report("search.index_us", await _indexed(database), "us/item")
        await owner.execute("DROP TABLE bench_words")
        await owner.execute("TRUNCATE items, search_words, search_backlog")


async def _timed(database: Database, scope: Scope, text: str, filters: dict[str, Any]) -> float:
    began = time.perf_counter()
    async with database.tenant(scope.tenant_id) as tx:
        await catalog.search(tx, scope, text, Filters(**filters))
    return time.perf_counter() - began


async def _indexed(database: Database) -> float:
    """How long the words of an item take beside those of a million others, in microseconds."""
    async with database.tenant(LARGE.tenant_id) as tx:
        await tx.connection.execute(FILL, {"first": ITEMS + 1, "last": ITEMS + MORE})
    began = time.perf_counter()
    assert await catalog.index_tenant(database, LARGE.tenant_id) == MORE
    await tidy(database)
    return (time.perf_counter() - began) / MORE * 1_000_000


def _centile(spent: list[float], which: int) -> float:
    return quantiles(spent, n=100)[which - 1]
