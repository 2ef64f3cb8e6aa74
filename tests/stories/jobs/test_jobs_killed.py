"""Workers that die, sleep, leave, or lose their database, as real processes."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.integration.stack.homes import passable_directory, postgres_in
from tests.stories.jobs.crew import PATIENCE, Crew
from tests.stories.jobs.hand import Errand, content

from windrow.contracts.errors import RetryableTransient
from windrow.jobs import Status
from windrow.postgres import Database
from windrow.postgres.migrate import migrate
from windrow.stack import Stack

pytestmark = pytest.mark.timeout(400)

# of those who are meant to lose it: a busy machine may well hold up a process for a second
LEASE = timedelta(seconds=2)
SHORT = LEASE.total_seconds()
# of those who are not, whatever holds them up
LONG = 60.0
# between two steps of which the one follows from the other at once
AT_ONCE = timedelta(seconds=10)


@pytest.fixture
async def crew(database: Database, tmp_path: Path) -> AsyncIterator[Crew]:
    async with Crew.of(database, tmp_path) as crew:
        yield crew


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.req("RR-2", "RR-12", "RR-13")
async def test_a_worker_killed_in_the_middle_is_replaced_within_its_lease(crew: Crew) -> None:
    (job_id,) = await crew.give(Errand(gate=str(crew.gate)))
    doomed = await crew.hire(lease=SHORT)
    await crew.until_told(job_id, "source:ready")
    other = await crew.hire(lease=LONG)
    doomed.send(signal.SIGKILL)
    crew.gate.touch()

    job = await crew.until(job_id, lambda job: job.status.is_final)

    assert (job.status, job.attempt_count) == (Status.DONE, 2)
    assert await crew.told(job_id) == [
        "created", "processing", "source:ready", "requeued:stale", "processing", "source:ready", "uploaded", "done",
    ]  # fmt: skip
    stale, again = [event.at for event in await crew.events(job_id) if event.event in {"requeued:stale", "processing"}][
        -2:
    ]
    last_sign = [event.at for event in await crew.events(job_id) if event.at < stale][-1]
    assert stale - last_sign < LEASE + AT_ONCE
    assert again - stale < AT_ONCE
    assert crew.published(job_id) == content(job_id)
    assert await crew.wrongs([job_id]) == []
    assert await other.until("job.recovered", job_id=job_id)


async def test_a_child_process_dies_with_its_worker(crew: Crew) -> None:
    (job_id,) = await crew.give(Errand(child=True))
    doomed = await crew.hire(lease=LONG)
    await crew.until_told(job_id, "source:ready")
    pid_file = crew.home / "pid"
    async with asyncio.timeout(PATIENCE):
        while not (pid_file.exists() and pid_file.read_text().strip()):
            await crew.moment()
    pid = int(pid_file.read_text())
    assert is_alive(pid)

    doomed.send(signal.SIGKILL)
    await doomed.ended()

    async with asyncio.timeout(PATIENCE):
        while is_alive(pid):
            await crew.moment()


@pytest.mark.req("RR-6")
async def test_a_worker_that_slept_through_its_lease_changes_nothing_and_says_so(crew: Crew) -> None:
    (job_id,) = await crew.give(Errand(gate=str(crew.gate)))
    sleeper = await crew.hire(lease=SHORT)
    await crew.until_told(job_id, "source:ready")
    sleeper.send(signal.SIGSTOP)
    await crew.hire(lease=LONG)
    crew.gate.touch()
    before = await crew.until(job_id, lambda job: job.status.is_final)
    events = await crew.events(job_id)

    sleeper.send(signal.SIGCONT)

    lost = await sleeper.until("job.lost", job_id=job_id)
    assert lost["epoch"] == 1
    assert await crew.job(job_id) == before
    assert await crew.events(job_id) == events
    assert (before.status, before.lease_epoch) == (Status.DONE, 2)
    assert crew.published(job_id) == content(job_id)


@pytest.mark.req("RR-6", "RR-13")
async def test_two_workers_on_a_thousand_jobs_begin_none_of_them_twice(crew: Crew) -> None:
    # long leases: what is proven is that two who acquire at the same moment never get the same job
    await asyncio.gather(crew.hire(concurrency=20, lease=LONG), crew.hire(concurrency=20, lease=LONG))
    made = await crew.give(*[Errand(silent=True)] * 1000)

    await crew.until_all_ended()

    assert crew.begun() == dict.fromkeys(made, 1)
    assert all(hand.events("job.done") for hand in crew.hands)
    assert {len(await crew.events(job_id)) for job_id in made[::50]} == {3}


@pytest.mark.req("RR-10")
async def test_a_worker_that_is_asked_to_go_hands_back_ends_and_leaves_in_order(crew: Crew) -> None:
    held, safe = str(crew.gate), str(crew.home / "never")
    ends, back = await crew.give(Errand(gate=held), Errand(gate=safe, checkpoints=True))
    leaving = await crew.hire(lease=LONG, shutdown=LONG)
    for job_id in (ends, back):
        await crew.until_told(job_id, "source:ready")

    leaving.send(signal.SIGTERM)
    await leaving.until("worker.draining")
    await crew.until_told(back, "requeued:handed_back")
    crew.gate.touch()

    assert await leaving.ended() == 0
    assert (await crew.job(ends)).status is Status.DONE
    assert ((await crew.job(back)).status, (await crew.job(back)).attempt_count) == (Status.QUEUED, 1)


@pytest.mark.req("RR-10")
async def test_what_a_worker_cannot_end_in_time_is_recovered_by_its_lease(crew: Crew) -> None:
    (job_id,) = await crew.give(Errand(gate=str(crew.gate)))
    leaving = await crew.hire(lease=SHORT, shutdown=0.2)
    await crew.until_told(job_id, "source:ready")
    leaving.send(signal.SIGTERM)

    assert await leaving.ended() == 0
    assert (await crew.told(job_id))[-1] == "aborted:shutdown"
    crew.gate.touch()
    await crew.hire(lease=LONG)
    job = await crew.until(job_id, lambda job: job.status.is_final)
    assert (job.status, job.attempt_count) == (Status.DONE, 2)
    assert await crew.wrongs([job_id]) == []


@pytest.mark.req("RR-14")
async def test_a_worker_whose_clock_is_an_hour_off_is_like_any_other(crew: Crew) -> None:
    lease = 1.5 * SHORT
    fast = await crew.hire(clock_off=3600.0, concurrency=1, lease=lease)
    slow = await crew.hire(clock_off=-3600.0, concurrency=1, lease=lease)
    held = await crew.give(Errand(gate=str(crew.gate)), Errand(gate=str(crew.gate)))
    for job_id in held:
        await crew.until_told(job_id, "source:ready")
    # longer than a lease: nobody is taken for dead, neither by the other's clock nor by its own
    await crew.moment(1.5 * lease)
    crew.gate.touch()
    await crew.until_all_ended()

    assert {(await crew.job(job_id)).attempt_count for job_id in held} == {1}
    for hand in (fast, slow):
        await hand.until("job.done")
    assert [len(hand.events("job.done")) for hand in (fast, slow)] == [1, 1]


@pytest.fixture
async def stack() -> AsyncIterator[Stack]:
    """A Postgres that may be killed: nobody else's."""
    directory = passable_directory()
    try:
        async with Stack(postgres_in(directory / "home")) as stack:
            await migrate(stack.database_url)
            yield stack
    finally:
        shutil.rmtree(directory, ignore_errors=True)


async def test_a_database_that_is_killed_and_comes_back_costs_no_attempt(stack: Stack, tmp_path: Path) -> None:
    async with Database(stack.database_url, size=4) as database, Crew.of(database, tmp_path) as crew:
        held, *others = await crew.give(Errand(gate=str(crew.gate)), *[Errand()] * 20)
        worker = await crew.hire(lease=LONG, heartbeat=0.5)
        await crew.until_told(held, "source:ready")

        await _kill_and_wait(stack)
        crew.gate.touch()
        await _patiently(crew)

        assert ((await crew.job(held)).status, (await crew.job(held)).attempt_count) == (Status.DONE, 1)
        assert await crew.wrongs([held, *others]) == []
        assert worker.process.returncode is None


async def _kill_and_wait(stack: Stack) -> None:
    pid = next(health.pid for health in stack.health if health.engine == "postgres")
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    async with asyncio.timeout(PATIENCE):
        await stack.until_healthy("postgres", restarts=1)


async def _patiently(crew: Crew) -> None:
    """Our own connections were cut as well."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await crew.until_all_ended()
            except RetryableTransient:
                await asyncio.sleep(0.1)
