"""Pace, slots and holds, on a clock of the test's own."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient
from windrow.http.gate import Gate, Pace, Slots
from windrow.http.policy import RateLimit


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@pytest.mark.req("HV-42")
@settings(deadline=None)
@given(
    requests=st.floats(0.1, 50),
    burst=st.integers(1, 10),
    steps=st.lists(st.tuples(st.sampled_from(["turn", "charge"]), st.floats(0, 3)), max_size=40),
)
async def test_no_stretch_of_time_has_more_turns_than_rate_and_burst_give(
    requests: float, burst: int, steps: list[tuple[str, float]]
) -> None:
    time = Time()
    pace = Pace(RateLimit(requests, burst=burst), time, time.sleep)
    turns: list[float] = []
    for kind, pause in steps:
        time.now += pause
        if kind == "charge":
            pace.charge()
        else:
            await pace.turn()
            turns.append(time.now)

    for first, start in enumerate(turns):
        for last, end in enumerate(turns[first:], start=first):
            assert last - first + 1 <= burst + (end - start) * requests + 1e-6


async def test_a_follow_up_is_paid_for_by_whoever_comes_next() -> None:
    time = Time()
    pace = Pace(RateLimit(1), time, time.sleep)
    await pace.turn()
    pace.charge()

    await pace.turn()

    assert time.now == pytest.approx(1002.0)


async def test_a_waiter_that_is_cancelled_takes_nothing() -> None:
    asleep, wake = asyncio.Event(), asyncio.Event()
    time = Time()

    async def sleep(seconds: float) -> None:
        asleep.set()
        await wake.wait()
        time.now += seconds

    pace = Pace(RateLimit(1), time, sleep)
    await pace.turn()
    waiting = [asyncio.create_task(pace.turn()) for _ in range(50)]
    await asleep.wait()
    for waiter in waiting:
        waiter.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)

    wake.set()
    await pace.turn()

    assert time.now == pytest.approx(1001.0)


@pytest.mark.parametrize("make", [lambda: RateLimit(0), lambda: RateLimit(float("nan")), lambda: RateLimit(1, burst=0)])
def test_a_rate_that_is_none_is_told(make: Callable[[], RateLimit]) -> None:
    with pytest.raises(Fatal, match="is not a rate"):
        make()


async def test_a_host_has_so_many_slots_and_another_host_its_own() -> None:
    slots = Slots(2)
    async with slots.one("a"), slots.one("a"):
        third = asyncio.create_task(_pass_through(slots, "a"))
        await _pass_through(slots, "b")
        assert not third.done()
    await third


async def test_a_host_that_nobody_talks_to_is_forgotten() -> None:
    slots = Slots(1)
    async with slots.one("a"):
        waiting = asyncio.create_task(_pass_through(slots, "a"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    for number in range(100):
        await _pass_through(slots, str(number))

    assert slots._in_use == {}


async def _pass_through(slots: Slots, key: str) -> None:
    async with slots.one(key):
        pass


async def test_a_host_that_said_wait_is_left_alone_until_then() -> None:
    time = Time()
    gate = Gate(None, 1, 10, time)
    gate.hold("a", 30)
    gate.hold("a", 5)
    time.now += 10

    with pytest.raises(RateLimited) as caught:
        async with gate.admitted("a"):
            pytest.fail("nothing may be sent")
    async with gate.admitted("b"):
        pass
    time.now += 20
    async with gate.admitted("a"):
        pass

    assert caught.value.retry_after == pytest.approx(20)


async def test_who_stands_in_line_is_told_to_wait_too() -> None:
    gate = Gate(None, 1, 10)
    async with gate.admitted("a"):
        waiting = asyncio.create_task(_admitted(gate, "a"))
        await asyncio.sleep(0)
        gate.hold("a", 30)

    with pytest.raises(RateLimited):
        await waiting


async def test_a_line_that_does_not_move_ends_in_an_error() -> None:
    gate = Gate(None, 1, 0.01)
    async with gate.admitted("a"):
        with pytest.raises(RetryableTransient) as caught:
            await _admitted(gate, "a")

    assert caught.value.code is Code.TIMEOUT


async def _admitted(gate: Gate, host: str) -> None:
    async with gate.admitted(host):
        pass
