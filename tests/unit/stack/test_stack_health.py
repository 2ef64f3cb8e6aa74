"""Waiting for an engine's health."""

import asyncio
from dataclasses import replace

from windrow.stack.health import Health, Pulse, State

STARTING = Health("postgres", State.STARTING)


async def test_a_condition_that_already_holds_is_not_waited_for() -> None:
    assert await Pulse(STARTING).until(lambda now: not now.healthy) == STARTING


async def test_everyone_who_waits_is_woken_by_the_change_that_they_wait_for() -> None:
    pulse = Pulse(STARTING)
    waiting = [asyncio.create_task(pulse.until(lambda now: now.restarts == 2)) for _ in range(3)]

    for restarts in range(4):
        await asyncio.sleep(0)
        pulse.tell(replace(STARTING, restarts=restarts))
        await asyncio.sleep(0)

    assert [health.restarts for health in await asyncio.gather(*waiting)] == [2, 2, 2]


def test_only_an_engine_that_answers_is_healthy() -> None:
    assert [state for state in State if Health("postgres", state).healthy] == [State.HEALTHY]
