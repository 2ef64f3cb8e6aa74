"""Whatever strikes whenever: every job ends for a true reason, every artifact is whole, every timeline is lawful.

The seed chooses who is struck, how and when. `make campaign` does it in full size, with one seed after the other.
"""

import asyncio
import random
import signal
from pathlib import Path

import psycopg
import pytest
from tests.stories.jobs.crew import Crew, Hand
from tests.stories.jobs.hand import APPLICATION, Errand

from windrow.contracts.errors import Code
from windrow.jobs import Job, Status
from windrow.postgres import Database

pytestmark = [pytest.mark.campaign, pytest.mark.req("RR-13"), pytest.mark.timeout(300)]

_BREAK = (
    "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
    " WHERE application_name = %s AND datname = current_database() ORDER BY random() LIMIT 1) AS one"
)


def is_true(job: Job, fate: str) -> bool:
    """Whether the job ended as it had to; one may also be unlucky three times, if it says so."""
    if job.status is Status.FAILED and job.failure_code == Code.RETRIES_EXHAUSTED:
        return job.attempt_count == job.max_attempts
    return job.status == (Status.FAILED if fate == "refused" else Status.DONE)


class Misfortune:
    """Strikes at random among the crew, and sees to it that there is always somebody to strike."""

    def __init__(self, crew: Crew, chance: random.Random, size: int) -> None:
        self._crew, self._chance, self._size = crew, chance, size
        self._asleep: list[asyncio.Task[None]] = []

    async def strike(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.0, 0.2))
        alive = [hand for hand in self._crew.hands if hand.process.returncode is None]
        while len(alive) < self._size:
            alive.append(await self._crew.start(concurrency=self._chance.choice([2, 5, 20])))
        victim = self._chance.choice(alive)
        match self._chance.choice(("kill", "kill", "sleep", "leave", "break")):
            case "kill":
                victim.send(signal.SIGKILL)
            case "sleep":
                self._asleep.append(asyncio.create_task(self._sleep(victim)))
            case "leave":
                victim.send(signal.SIGTERM)
            case _:
                async with await psycopg.AsyncConnection.connect(self._crew.database.url, autocommit=True) as own:
                    await own.execute(_BREAK, [APPLICATION])

    async def calm(self) -> None:
        await asyncio.gather(*self._asleep)
        await self._crew.hire(concurrency=20)

    async def _sleep(self, victim: Hand) -> None:
        victim.send(signal.SIGSTOP)
        await asyncio.sleep(self._chance.uniform(0.2, 2.0))  # some of them through their leases
        victim.send(signal.SIGCONT)


async def test_whatever_strikes_whenever_every_job_ends_for_a_true_reason(
    database: Database, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    workers, count, strikes = (8, 2000, 40) if seed else (3, 150, 10)
    fates = chance.choices(["done", "late", "refused"], [8, 1, 1], k=count)
    async with Crew.of(database, tmp_path) as crew:
        misfortune = Misfortune(crew, chance, workers)
        await asyncio.gather(*(crew.start(concurrency=5) for _ in range(workers)))
        made = await crew.give(*(Errand(fate=fate) for fate in fates))
        for _ in range(strikes):
            await misfortune.strike()
        await misfortune.calm()
        await crew.until_all_ended(200)

        assert [
            job_id for job_id, fate in zip(made, fates, strict=True) if not is_true(await crew.job(job_id), fate)
        ] == []
        assert await crew.wrongs(made) == []
