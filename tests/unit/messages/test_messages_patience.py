"""The relay's loop: at once while there is work, when woken, later in trouble, and gone when it is asked to."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from tests.conftest import Said

from windrow.contracts.errors import Code, RetryableTransient
from windrow.messages.patience import keep_on
from windrow.postgres.wakeups import Wakeup

HOUR = timedelta(hours=1)


def looping(step: Callable[[], Awaitable[object]], wakeup: Wakeup | None = None) -> asyncio.Task[None]:
    return asyncio.create_task(keep_on("step", step, wakeup or Wakeup(), HOUR, lambda: 0.0))


async def ended(loop: asyncio.Task[None]) -> None:
    loop.cancel()
    async with asyncio.timeout(60):
        with pytest.raises(asyncio.CancelledError):
            await loop


async def test_it_goes_on_at_once_while_there_is_work_and_then_waits_to_be_woken() -> None:
    wakeup, rested, work = Wakeup(), asyncio.Event(), [True, True, False]
    steps: list[bool] = []

    async def step() -> bool:
        steps.append(work.pop(0) if work else False)
        if not steps[-1]:
            rested.set()
        return steps[-1]

    loop = looping(step, wakeup)
    await rested.wait()
    assert steps == [True, True, False]

    rested.clear()
    wakeup.ring()
    await rested.wait()
    assert steps == [True, True, False, False]
    await ended(loop)


async def test_trouble_with_the_database_only_delays_it(said: Said) -> None:
    recovered, troubles = asyncio.Event(), [RetryableTransient("away", code=Code.DATABASE_UNREACHABLE)] * 2

    async def step() -> bool:
        if troubles:
            raise troubles.pop()
        recovered.set()
        return False

    loop = looping(step)
    async with asyncio.timeout(60):
        await recovered.wait()

    assert [line["retry_in_seconds"] for line in said.events("relay.stalled")] == [0.1, 0.2]
    await ended(loop)


async def test_a_cancellation_that_the_driver_loses_ends_it_all_the_same() -> None:
    begun = asyncio.Event()

    async def step() -> bool:
        begun.set()
        # as `asyncio.wait_for` of Python 3.11 may do, when the answer comes at the same moment
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return True

    loop = looping(step)
    await begun.wait()

    await ended(loop)


async def test_what_is_no_error_of_ours_ends_it() -> None:
    async def step() -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await looping(step)
