"""One reading at a time for each credential, shared by all who wait for it and kept for a while.

A finished reading is the cache: it serves until it is too old. Whoever needs a newer one joins the reading that has
not begun yet, so that any number of callers cause at most one running and one waiting.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass

from windrow.vault.secret import Document

Read = Callable[[], Awaitable[Document]]


@dataclass(eq=False, slots=True)
class _Reading:
    task: asyncio.Task[Document] | None = None
    # until it begins, it is newer than anything that can be asked for
    begun: float = math.inf

    def failed(self) -> bool:
        task = self.task
        return task is not None and task.done() and (task.cancelled() or task.exception() is not None)


class Readings:
    """The readings under way and those still fresh."""

    def __init__(self, *, fresh_for: float, clock: Callable[[], float]) -> None:
        self._fresh_for, self._clock = fresh_for, clock
        self._readings: dict[Hashable, _Reading] = {}

    async def fresh(self, key: Hashable, read: Read) -> Document:
        """What was read less than the fresh time ago, or is being read."""
        return await self._begun_since(self._clock() - self._fresh_for, key, read)

    async def anew(self, key: Hashable, read: Read) -> Document:
        """What is read from now on."""
        return await self._begun_since(math.inf, key, read)

    async def aclose(self) -> None:
        """Stop what is under way and forget everything."""
        tasks = [reading.task for reading in self._readings.values() if reading.task]
        self._readings.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _begun_since(self, oldest: float, key: Hashable, read: Read) -> Document:
        self._forget_old()
        reading = self._readings.get(key)
        if reading is None or reading.failed() or reading.begun < oldest:
            reading = self._begin(key, read, after=reading)
        assert reading.task is not None
        # shielded: one caller that gives up must not take the reading from the others
        return await asyncio.shield(reading.task)

    def _begin(self, key: Hashable, read: Read, after: _Reading | None) -> _Reading:
        reading = _Reading()
        reading.task = asyncio.create_task(self._run(reading, read, after.task if after else None))
        reading.task.add_done_callback(lambda _: self._forget_failed(key, reading))
        self._readings[key] = reading
        return reading

    async def _run(self, reading: _Reading, read: Read, after: asyncio.Task[Document] | None) -> Document:
        if after is not None:
            await asyncio.wait([after])
        reading.begun = self._clock()
        return await read()

    def _forget_failed(self, key: Hashable, reading: _Reading) -> None:
        # asking also marks the exception as seen: every caller may have given up by now
        if reading.failed() and self._readings.get(key) is reading:
            del self._readings[key]

    def _forget_old(self) -> None:
        oldest = self._clock() - self._fresh_for
        for key, reading in list(self._readings.items()):
            if reading.task and reading.task.done() and reading.begun < oldest:
                del self._readings[key]
