"""The bare loop that the job runtime is compared with: the same statements, the same fence and events, and nothing around them."""

import time
from datetime import timedelta
from typing import Any

from windrow.postgres import Database
from windrow.postgres.queries import load

Q = load("windrow.jobs")
LEASE = timedelta(seconds=30)


async def drain(database: Database, tenant: str, count: int, batch: int) -> float:
    """Acquire and complete, batch by batch, until so many are done; seconds."""
    began = time.perf_counter()
    done = 0
    while done < count:
        taken = await acquire(database, tenant, batch)
        await complete(database, taken)
        done += len(taken)
    return time.perf_counter() - began


async def acquire(database: Database, tenant: str, batch: int) -> list[dict[str, Any]]:
    async with database.system(Q.careful) as tx:
        return await tx.rows(
            Q.acquire,
            tenants=[tenant],
            kinds=["rest"],
            priorities=[0],
            floors=[0],
            most=[batch],
            worker="bare",
            lease=LEASE,
        )


async def complete(database: Database, taken: list[dict[str, Any]]) -> None:
    async with database.system(Q.careful) as tx:
        lost = await tx.rows(
            Q.done,
            tenants=[row["tenant_id"] for row in taken],
            ids=[row["job_id"] for row in taken],
            epochs=[row["epoch"] for row in taken],
            worker="bare",
        )
        assert not lost
