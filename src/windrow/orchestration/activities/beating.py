"""A long activity tells of itself while it runs, and ends gently when it is asked to."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import TypeVar

from temporalio import activity

from windrow.contracts.orders import Progress

T = TypeVar("T")

# a cancellation reaches an activity with the answer to a heartbeat: more often than MW-30 asks for
_BEAT = timedelta(seconds=2)
# of the ten seconds in which a cancelled run has to be safe (MW-31)
_GENTLY = timedelta(seconds=3)


class Beating:
    """Beats in the background; knows whether the work is to stop."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self.progress = Progress()

    def must_stop(self) -> bool:
        """Somebody cancelled the workflow, or this worker is going away."""
        return self._asked.is_set() or activity.is_worker_shutdown()

    async def during(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run the work to its end. When it is cancelled, it is given the time to come to a safe point by itself."""
        beating = asyncio.create_task(self._beat())
        working = asyncio.ensure_future(work())
        try:
            try:
                return await asyncio.shield(working)
            except asyncio.CancelledError:
                if working.done():
                    raise
                self._asked.set()
                await asyncio.wait([working], timeout=_GENTLY.total_seconds())
                if not working.done():
                    raise
                return working.result()
        finally:
            beating.cancel()
            if not working.done():
                working.cancel()
            await asyncio.gather(beating, working, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            activity.heartbeat(asdict(self.progress))
            await asyncio.sleep(_BEAT.total_seconds())
