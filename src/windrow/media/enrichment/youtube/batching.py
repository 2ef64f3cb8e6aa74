"""Questions that come together go out together.

The first question opens a batch and waits a moment; those that come meanwhile join it, the same question takes one place, and a
batch that is full goes at once. Where nobody is being asked just now, there is no crowd to wait for, and the moment is a tenth.
Whoever stops waiting leaves the others undisturbed; when nobody waits any more, nothing is asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from typing import Generic, TypeVar

from windrow.contracts.errors import WindrowError

Answer = TypeVar("Answer")
Fetch = Callable[[tuple[str, ...]], Awaitable[Mapping[str, Answer]]]

# of the window
_ALONE = 0.1


class _Batch(Generic[Answer]):
    def __init__(self) -> None:
        self.keys: dict[str, None] = {}
        self.full = asyncio.Event()
        self.waiting = 0
        self.answers: asyncio.Task[Mapping[str, Answer]]


class Batches(Generic[Answer]):
    """`fetch` answers up to `most` different keys at a time; what it raises is raised to everybody who waits for it."""

    def __init__(self, fetch: Fetch[Answer], *, most: int, window: float) -> None:
        self._fetch, self._most, self._window = fetch, most, window
        self._open: _Batch[Answer] | None = None
        self._asking = 0
        self._under_way: set[asyncio.Task[Mapping[str, Answer]]] = set()

    async def ask(self, key: str) -> Answer:
        """The answer to this key."""
        batch = self._join(key)
        batch.waiting += 1
        try:
            answers = await asyncio.shield(batch.answers)
        except WindrowError as error:
            # one of its own for each: an exception that is raised again and again gathers all their traces
            raise copy(error) from error
        finally:
            batch.waiting -= 1
            if not batch.waiting:
                self._abandon(batch)
        return answers[key]

    async def aclose(self) -> None:
        """Give up what is under way; whoever waits for it is cancelled."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _join(self, key: str) -> _Batch[Answer]:
        batch = self._open or self._opened()
        batch.keys[key] = None
        if len(batch.keys) >= self._most:
            self._open = None
            batch.full.set()
        return batch

    def _opened(self) -> _Batch[Answer]:
        batch: _Batch[Answer] = _Batch()
        # what it says on its way, it says in the name of the job that opened it
        batch.answers = asyncio.create_task(self._answered(batch), name="batch")
        self._under_way.add(batch.answers)
        batch.answers.add_done_callback(self._under_way.discard)
        self._open = batch
        return batch

    async def _answered(self, batch: _Batch[Answer]) -> Mapping[str, Answer]:
        try:
            async with asyncio.timeout(self._window if self._asking else self._window * _ALONE):
                await batch.full.wait()
        except TimeoutError:
            pass
        self._leaves(batch)
        self._asking += 1
        try:
            return await self._fetch(tuple(batch.keys))
        finally:
            self._asking -= 1

    def _abandon(self, batch: _Batch[Answer]) -> None:
        self._leaves(batch)
        batch.answers.cancel()

    def _leaves(self, batch: _Batch[Answer]) -> None:
        if self._open is batch:
            self._open = None
