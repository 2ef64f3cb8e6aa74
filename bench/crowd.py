"""A tenant with a million items, 10,000 runs, 100,000 jobs and as much of everything else: `python -m bench.crowd`.

Seeds the database of WINDROW_DATABASE_URL, which has to be migrated (`windrow db migrate`) and may be thrown away.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from psycopg import AsyncConnection

from bench.items import fill, vocabulary
from windrow import catalog
from windrow.contracts.scope import Scope
from windrow.postgres import Database, load

Q = load(__package__, "crowd.sql")
SCOPE = Scope("crowd", "main")


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each."""

    items: int = 1_000_000
    endpoints: int = 200
    runs: int = 10_000
    quarantined: int = 20_000
    jobs: int = 100_000
    messages: int = 100_000
    audited: int = 100_000
    keys: int = 100_000


async def gather(url: str, size: Size, tell: Callable[[str], None]) -> None:
    """Everything, as one tenant's; `url` is the owner's."""
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        await owner.execute("SET search_path = windrow, public")
        async with Database(url, size=2) as database:
            tell(f"{size.items:,} items")
            await vocabulary(owner)
            await fill(database, SCOPE, size.items)
            await owner.execute("DROP TABLE bench_words")
            tell("their words")
            await catalog.index_tenant(database, SCOPE.tenant_id)
            for query in Q:
                tell(f"{query.name}: {query.reason}")
                async with database.tenant(SCOPE.tenant_id) as tx:
                    await tx.execute(query, **asdict(size))
        tell("statistics")
        await owner.execute("VACUUM ANALYZE")


def main() -> None:
    url = os.environ.get("WINDROW_DATABASE_URL")
    if not url:
        sys.exit("name a migrated database that may be thrown away in WINDROW_DATABASE_URL")
    asyncio.run(gather(url, Size(), lambda words: print(words, flush=True)))


if __name__ == "__main__":
    main()
