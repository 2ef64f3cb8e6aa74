"""Whether it lives, and whether it can work."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from windrow.contracts.errors import Code, RetryableTransient
from windrow.postgres import Database, load

Q = load(__package__)


async def health(_: Request) -> Response:
    """That the process answers; it asks nobody else."""
    return JSONResponse({"status": "ok"})


def ready(database: Database, *, seconds: float) -> Callable[[Request], Awaitable[Response]]:
    """That the database answers in time, and is migrated."""

    async def ready(_: Request) -> Response:
        try:
            async with asyncio.timeout(seconds):
                found = await database.row(Q.ready)
        except TimeoutError:
            raise RetryableTransient("the database does not answer in time", code=Code.DATABASE_UNREACHABLE) from None
        if not found or not found["migrations"]:
            raise RetryableTransient("the database is not migrated", code=Code.UNAVAILABLE)
        return JSONResponse({"status": "ready"})

    return ready
