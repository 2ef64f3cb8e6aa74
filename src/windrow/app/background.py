"""Tasks that run as long as the process: each has a name and an owner, and one that fails is started again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Self

from windrow.contracts.errors import classify
from windrow.contracts.retry import RetryPolicy
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit

_AGAIN = RetryPolicy(timedelta(seconds=0.5), timedelta(minutes=1), attempts=None, spread=0.5)


class Background:
    """Owns its tasks: leaving it cancels them and waits until they are gone."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def start(self, name: str, work: Callable[[], Awaitable[object]]) -> None:
        """Run the work for ever."""
        self._tasks[name] = asyncio.create_task(_for_ever(name, work), name=name)

    def every(self, interval: timedelta, name: str, work: Callable[[], Awaitable[object]]) -> None:
        """Run the work now and then again and again, about so far apart: several processes do not march in step."""

        async def beat() -> None:
            while not is_cancelled():
                await work()
                if is_cancelled():  # the work may have lost it; to sleep first would hold up the end of the process
                    return
                await asyncio.sleep(interval.total_seconds() * random.uniform(0.75, 1.25))  # noqa: S311 - no secret

        self.start(name, beat)


async def _for_ever(name: str, work: Callable[[], Awaitable[object]]) -> None:
    failures = 0
    loop = asyncio.get_running_loop()
    while not is_cancelled():
        begun = loop.time()
        try:
            # a task of its own: on Python 3.11 a TaskGroup whose child failed leaves its task marked as cancelled, and this
            # one would take that for the end of the process
            await asyncio.create_task(_awaited(work), name=name)
        except Exception as error:
            # what ran well for a while has earned a fresh start
            failures = 1 if loop.time() - begun > _AGAIN.ceiling.total_seconds() else failures + 1
            delay = (_AGAIN.delay(failures, random.random()) or timedelta(0)).total_seconds()  # noqa: S311 - no secret
            ours = classify(error)
            emit(
                "task.failed",
                task=name,
                error_class=ours.error_class,
                code=ours.code,
                error=error,
                retry_in_seconds=delay,
            )
            await asyncio.sleep(delay)
        else:
            return


async def _awaited(work: Callable[[], Awaitable[object]]) -> None:
    await work()
