"""Blocking work in a thread, always seen to its end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the work returns. A caller that is cancelled leaves only when the work is over."""
    return await seen_through(asyncio.to_thread(work, *args, **kwargs))


async def seen_through(working: Awaitable[T]) -> T:
    """What work in a thread returns, awaited to its end even by a caller that is cancelled.

    A thread cannot be stopped: whoever went on would close descriptors under it, and the next file to be opened could
    get the number that it still writes to.
    """
    task = asyncio.ensure_future(working)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()
        raise
