"""Background tasks: started again when they fail, gone when their owner leaves."""

import asyncio
from datetime import timedelta

from tests.conftest import Said

from windrow.app.background import Background


async def test_a_task_that_fails_is_told_and_started_again(said: Said) -> None:
    attempts = 0
    recovered = asyncio.Event()

    async def work() -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise ConnectionResetError("gone")
        recovered.set()

    async with Background() as background:
        background.start("fragile", work)
        await asyncio.wait_for(recovered.wait(), 10)

    (line,) = said.events("task.failed")
    assert (line["task"], line["error_class"], line["code"]) == ("fragile", "RetryableTransient", "NETWORK")
    assert 0.25 <= line["retry_in_seconds"] <= 0.5


async def test_a_task_of_which_a_part_fails_is_started_again_too() -> None:
    attempts = 0
    recovered = asyncio.Event()

    async def part() -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise ConnectionResetError("gone")
        recovered.set()

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(part())

    async with Background() as background:
        background.start("of parts", work)
        await asyncio.wait_for(recovered.wait(), 10)

    assert attempts == 2


async def test_leaving_ends_every_task_and_waits_for_it() -> None:
    cleaned = asyncio.Event()
    begun = asyncio.Event()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    async with Background() as background:
        background.start("long", work)
        await begun.wait()

    assert cleaned.is_set()


async def test_what_is_done_every_so_often_is_done_at_once_and_again() -> None:
    third = asyncio.Event()
    times = 0

    async def work() -> None:
        nonlocal times
        times += 1
        if times == 3:
            third.set()

    async with Background() as background:
        background.every(timedelta(milliseconds=1), "often", work)
        await asyncio.wait_for(third.wait(), 10)
