"""What no list of points can foresee: random moments, zombies, broken connections, several subscribers at once."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.stories.harvest.faults import Act, Fault
from tests.stories.harvest.processes import Child
from tests.stories.harvest.roles import APPLICATION, SUPERSEDED
from tests.stories.harvest.story import SHARED, Story, points_of

from windrow.postgres import Database

pytestmark = [pytest.mark.campaign, pytest.mark.req("HV-24"), pytest.mark.timeout(300)]

_STRIKES = 40
_LOCKED = "SELECT FROM pg_stat_activity WHERE application_name = %s AND datname = current_database() AND wait_event_type = 'Lock'"
_BREAK = (
    "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
    " WHERE application_name = %s AND datname = current_database() ORDER BY random() LIMIT 1) AS one"
)


@pytest.fixture
async def onlooker(database: Database) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """The operator's own connection."""
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as connection:
        yield connection


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with Story.begin(database, tmp_path) as begun:
        yield begun


async def test_a_zombie_that_wakes_up_writes_nothing(
    story: Story, onlooker: psycopg.AsyncConnection[Any], seed: int
) -> None:
    """It sleeps in the middle, another takes the lane over and finishes, and then it wakes."""
    live: dict[str, Any] = {"lanes": ("live",)}
    unharmed = await story.tenant("unharmed")
    await story.harvest(unharmed, lanes=("backfill:spring",))
    reached = await story.points("harvester", unharmed, **live)
    # before that it has no lane yet that one could take over; between two transactions it holds nobody up
    reached = reached[reached.index("before outbox/observe #1") :]
    between = [point for point in reached if point.startswith("before postgres/begin_tenant")]
    chance = random.Random(seed)
    points = points_of([*chance.sample(between, 3), *chance.sample(reached, 3)])
    superseded = 0
    for tenant, point in points.items():
        await story.tenant(tenant)
        await story.harvest(tenant, lanes=("backfill:spring",))
        zombie = story.start("harvester", tenant, fault=Fault(Act.STOP, point), **live)
        assert await zombie.stopped(), point
        successor = asyncio.create_task(story.run("harvester", tenant, **live))
        await ended_or_held_up(successor, onlooker)
        overtaken, before = successor.done(), await story.kept(tenant)
        zombie.send(signal.SIGCONT)
        code = await story.ended(zombie)

        if overtaken:
            superseded += code == SUPERSEDED
            assert await story.kept(tenant) == before, f"stopped {point}, it wrote something"
        assert await successor in (0, SUPERSEDED)
        await story.harvest(tenant, **live)
    await story.drain()

    assert superseded >= 3
    assert await story.audit(points) == []


async def ended_or_held_up(process: asyncio.Task[int], onlooker: psycopg.AsyncConnection[Any]) -> None:
    """A zombie that sleeps inside a transaction keeps its row: its successor waits for it."""
    while not process.done() and await (await onlooker.execute(_LOCKED, [APPLICATION])).fetchone() is None:
        await onlooker.execute("SELECT pg_sleep(0.02)")


async def test_a_connection_that_breaks_loses_nothing_and_doubles_nothing(story: Story, seed: int) -> None:
    """Between every commit and its answer, where the same request again is answered and not done again; and elsewhere."""
    reached = await story.points("harvester", await story.tenant("unharmed"))
    unanswered = [point for point in reached if point.startswith("sent commit")]
    elsewhere = [point for point in reached if point not in unanswered and "source" not in point]
    points = points_of([*unanswered, *random.Random(seed).sample(elsewhere, 4)])

    async def lose_the_connection(tenant: str, point: str) -> None:
        await story.tenant(tenant)
        await story.run("harvester", tenant, Fault(Act.SEVER, point))
        await story.harvest(tenant)

    await story.each(lose_the_connection, points, at_once=4)
    await story.drain()

    story.unheard = 1
    assert await story.audit(points) == []


class Chaos:
    """Processes that are started again whenever they end badly, and strikes at random among them."""

    def __init__(self, story: Story, onlooker: psycopg.AsyncConnection[Any], chance: random.Random) -> None:
        self._story, self._onlooker, self._chance = story, onlooker, chance
        # the processes that are there; the event is set when nobody waits for one any longer
        self._alive: dict[Child, asyncio.Event] = {}
        self._kept: list[asyncio.Task[None]] = []
        self._ends: list[asyncio.Task[int]] = []
        self._sleeps: list[asyncio.Task[None]] = []

    def keep(self, role: str, tenant: str = SHARED) -> asyncio.Task[None]:
        """Start it, and again whenever it has to be."""
        self._kept.append(asyncio.create_task(self._keep(role, tenant)))
        return self._kept[-1]

    async def _keep(self, role: str, tenant: str) -> None:
        """Until one attempt ends well. One that sleeps is given up, as after a missed heartbeat, and may yet wake up."""
        while True:
            child, given_up = self._story.start(role, tenant), asyncio.Event()
            self._alive[child] = given_up
            end = asyncio.create_task(self._end(child))
            self._ends.append(end)
            waiting = asyncio.create_task(given_up.wait())
            await asyncio.wait([end, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if end.done() and end.result() == 0:
                return

    async def strike(self) -> None:
        """Something, somewhere, some time soon."""
        await asyncio.sleep(self._chance.uniform(0.0, 0.1))
        victim = self._chance.choice(list(self._alive))
        match self._chance.choice(("kill", "kill", "sleep", "break")):
            case "kill":
                victim.send(signal.SIGKILL)
            case "sleep":
                self._sleeps.append(asyncio.create_task(self._sleep(victim)))
            case _:
                self._story.unheard += 1
                await self._onlooker.execute(_BREAK, [APPLICATION])

    async def calm(self) -> None:
        """Whoever sleeps wakes up, and whatever is pending is persisted."""
        await asyncio.gather(*self._sleeps)
        while await self._story.pending():
            await self._onlooker.execute("SELECT pg_sleep(0.02)")

    async def __aenter__(self) -> "Chaos":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Everybody goes."""
        for task in (*self._kept, *self._sleeps):
            task.cancel()
        await asyncio.gather(*self._kept, *self._sleeps, return_exceptions=True)
        for child in self._alive:
            child.send(signal.SIGKILL)
        await asyncio.gather(*self._ends)

    async def _sleep(self, victim: Child) -> None:
        victim.send(signal.SIGSTOP)
        if victim in self._alive:
            self._alive[victim].set()
        await asyncio.sleep(self._chance.uniform(0.05, 0.4))
        victim.send(signal.SIGCONT)

    async def _end(self, child: Child) -> int:
        code = await self._story.ended(child)
        del self._alive[child]
        return code


async def test_whatever_strikes_whenever_the_catalog_is_the_source(
    story: Story, onlooker: psycopg.AsyncConnection[Any], seed: int
) -> None:
    """Harvesters of several tenants and three subscribers: killed, put to sleep, cut off from the database."""
    tenants = [await story.tenant(f"tenant-{number}") for number in range(4)]
    async with Chaos(story, onlooker, random.Random(seed)) as chaos:
        for _ in range(3):
            chaos.keep("worker")
        harvests = [chaos.keep("harvester", tenant) for tenant in tenants]
        for _ in range(_STRIKES):
            await chaos.strike()
        await asyncio.gather(*harvests)
        await chaos.calm()

    assert await story.audit(tenants) == []
