"""Blocking work is seen to its end, however its caller leaves."""

import asyncio
import threading

import pytest

from windrow.objects.threads import in_thread


async def test_what_the_work_returns_comes_back() -> None:
    assert await in_thread(divmod, 7, 2) == (3, 1)


async def test_what_the_work_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 7, 0)


@pytest.mark.parametrize("cancellations", [1, 3])
async def test_a_cancelled_caller_leaves_only_when_the_work_is_over(cancellations: int) -> None:
    begun, may_end, over = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        over.set()

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(begun.wait)
    for _ in range(cancellations):
        task.cancel()
        await asyncio.wait([task], timeout=0.01)
    assert not task.done()

    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert over.is_set()


async def test_an_error_of_the_work_does_not_hide_the_cancellation() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait()
        raise ValueError

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    may_end.set()

    with pytest.raises(asyncio.CancelledError):
        await task
