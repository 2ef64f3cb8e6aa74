"""Whether anybody still listens to an answer that takes long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.types import Receive


@asynccontextmanager
async def watching(receive: Receive) -> AsyncIterator[asyncio.Task[None]]:
    """Done as soon as the client has left."""
    left = asyncio.create_task(_left(receive))
    try:
        yield left
    finally:
        left.cancel()
        with suppress(asyncio.CancelledError):
            await left


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
