"""The worker: jobs run, fail, are cancelled, and are left behind in good order."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.integration.jobs.timeline import unlawful
from tests.integration.jobs.workshop import (
    QUICK,
    Note,
    became,
    ended,
    enqueue,
    enqueue_many,
    found,
    grow_old,
    kind,
    rest,
    told,
    waiting,
    working,
)

from windrow import jobs
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.jobs import Artifact, PressureLimits, Running, Status, Terms
from windrow.postgres import Database

ADA = Actor("ada", "test")


class Gate:
    """A handler that waits inside until it is let go, and counts who is in there."""

    def __init__(self) -> None:
        self.entered, self.open = asyncio.Semaphore(0), asyncio.Event()
        self.inside = self.most = 0
        self.cut_off, self.gone = 0, asyncio.Event()

    async def __call__(self, _running: Running, _note: Note) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.release()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cut_off += 1
            self.gone.set()
            raise
        finally:
            self.inside -= 1


@pytest.mark.req("RR-12")
async def test_a_good_job_tells_its_story_in_order(database: Database, tmp_path: Path) -> None:
    async def cut(running: Running, note: Note) -> None:
        await running.source_ready(bytes=10)
        for percent in (0, 50, 100):
            await running.progress(percent)
        await running.upload(Artifact(f"results/{running.job_id}/attempts/{running.epoch}/x", 3, "0" * 64))

    async with working(database, tmp_path, kind(cut)):
        job = await ended(database, await enqueue(database))

    assert await told(database, job.job_id) == [
        "created", "processing", "source:ready", "progress", "progress", "progress", "uploaded", "done",
    ]  # fmt: skip
    assert (job.status, job.progress, job.worker) == (Status.DONE, 100.0, None)
    assert job.artifact
    assert job.artifact["size"] == 3
    async with database.tenant("acme") as tx:
        assert unlawful(await jobs.events(tx, job.job_id)) is None


async def test_a_job_that_is_enqueued_wakes_an_idle_worker(database: Database, tmp_path: Path) -> None:
    patient = replace(QUICK, poll=timedelta(minutes=5))
    async with working(database, tmp_path, kind(rest), limits=patient):
        await ended(database, await enqueue(database))
        await ended(database, await enqueue(database))


@pytest.mark.req("RR-7", "RR-13")
async def test_an_error_that_passes_by_itself_is_tried_again_until_the_tries_are_spent(
    database: Database, tmp_path: Path, said: Said
) -> None:
    attempts: list[int] = []

    async def stumble(running: Running, note: Note) -> None:
        attempts.append(running.attempt)
        raise RetryableTransient("the store is away", code=Code.STORAGE_UNAVAILABLE)

    async with working(database, tmp_path, kind(stumble)):
        job = await ended(database, await enqueue(database))

    assert attempts == [1, 2, 3]
    assert (job.status, job.failure_code, job.error_code) == (
        Status.FAILED,
        Code.RETRIES_EXHAUSTED,
        Code.STORAGE_UNAVAILABLE,
    )
    assert job.traceback
    assert "the store is away" in job.traceback
    assert len(said.events("job.retried")) == 2
    assert [line["failure_code"] for line in said.events("job.failed")] == [Code.RETRIES_EXHAUSTED]


@pytest.mark.req("RR-7")
@pytest.mark.parametrize(
    "error", [ValidationFailure("no", code=Code.INPUT_TOO_LARGE), Fatal("no")], ids=["input", "fatal"]
)
async def test_an_error_that_would_only_repeat_itself_fails_at_once_and_costs_no_attempt(
    database: Database, tmp_path: Path, error: Exception
) -> None:
    async def refuse(running: Running, note: Note) -> None:
        raise error

    async with working(database, tmp_path, kind(refuse)):
        job = await ended(database, await enqueue(database))

    assert (job.status, job.attempt_count) == (Status.FAILED, 1)
    assert job.failure_code == job.error_code == getattr(error, "code", None)


async def test_a_payload_that_its_kind_does_not_know_fails_at_once(database: Database, tmp_path: Path) -> None:
    class Strict(Note):
        volume: int

    async with working(database, tmp_path, jobs.Kind("note", Strict, rest)):
        job = await ended(database, await enqueue(database))

    assert (job.failure_code, job.attempt_count) == (Code.INVALID_VALUE, 1)


async def test_a_handler_that_takes_too_long_is_ended_and_tried_again(database: Database, tmp_path: Path) -> None:
    gate = Gate()
    async with working(database, tmp_path, kind(gate, timeout=timedelta(seconds=0.05))):
        job = await ended(database, await enqueue(database))

    assert (job.failure_code, job.error_code, gate.cut_off) == (Code.RETRIES_EXHAUSTED, Code.TIMEOUT, 3)


async def test_a_retry_waits_for_its_backoff(database: Database, tmp_path: Path) -> None:
    async def stumble(running: Running, note: Note) -> None:
        raise RetryableTransient("not now")

    patient = replace(QUICK, backoff=jobs.worker.BACKOFF)
    before = datetime.now(UTC)
    async with working(database, tmp_path, kind(stumble), limits=patient, jitter=lambda: 1.0):
        job = await became(database, await enqueue(database), lambda job: job.status is Status.SCHEDULED)

    assert job.run_at
    assert before <= job.run_at - timedelta(seconds=5) <= datetime.now(UTC)


async def test_a_scheduled_job_starts_when_it_is_due_and_not_at_the_next_poll(
    database: Database, tmp_path: Path
) -> None:
    patient = replace(QUICK, poll=timedelta(minutes=5))
    async with working(database, tmp_path, kind(rest), limits=patient):
        await ended(database, await enqueue(database))
        due = datetime.now(UTC) + timedelta(seconds=0.3)
        job = await ended(database, await enqueue(database, terms=Terms(run_at=due)))

    assert job.started_at
    assert timedelta(0) <= job.started_at - due < timedelta(minutes=1)


@pytest.mark.req("RR-3")
async def test_never_more_are_in_hand_than_there_is_room_for(database: Database, tmp_path: Path) -> None:
    gate = Gate()
    made = await enqueue_many(database, 12)
    async with working(database, tmp_path, kind(gate), limits=replace(QUICK, concurrency=3)):
        for _ in range(3):
            await gate.entered.acquire()
        async with database.tenant("acme") as tx:
            assert len(await jobs.listed(tx, status=Status.PROCESSING)) == 3
        gate.open.set()
        for job_id in made:
            await ended(database, job_id)

    assert gate.most == 3


@pytest.mark.req("RR-6")
async def test_a_job_is_started_by_its_id_once_and_only_where_its_kind_is_known(
    database: Database, tmp_path: Path, said: Said
) -> None:
    gate = Gate()
    async with working(database, tmp_path, kind(gate), limits=replace(QUICK, concurrency=5)) as employed:
        in_hand = await enqueue(database)
        await gate.entered.acquire()
        foreign = await enqueue(database, name="foreign")

        assert not await employed.worker.start("acme", in_hand)
        assert not await employed.worker.start("acme", foreign)
        gate.open.set()
        await ended(database, in_hand)

    assert [line["reason"] for line in said.events("job.skipped")] == ["processing", "queued"]
    assert (gate.most, (await found(database, foreign)).lease_epoch) == (1, 0)


@pytest.mark.req("RR-4")
async def test_a_busy_machine_takes_nothing_while_a_lot_waits(database: Database, tmp_path: Path, said: Said) -> None:
    measured: list[float] = []
    again, calm = asyncio.Event(), asyncio.Event()

    def measure() -> float:
        measured.append(0.1 if calm.is_set() else 2.0)
        if len(measured) > 1:  # the pause is over
            again.set()
        return measured[-1]

    made = await enqueue_many(database, 6)
    pressure = PressureLimits(high_watermark=5, load_threshold=0.9, pause=timedelta(seconds=0.3))
    pressed = replace(QUICK, pressure=pressure, concurrency=1)
    async with working(database, tmp_path, kind(rest), limits=pressed, measure_load=measure):
        await again.wait()
        assert {(await found(database, job_id)).status for job_id in made} == {Status.QUEUED}
        calm.set()
        for job_id in made:
            await ended(database, job_id)

    assert said.events("worker.paused")[0]["queued"] == 6


async def test_a_busy_machine_goes_on_while_little_waits(database: Database, tmp_path: Path, said: Said) -> None:
    async with working(database, tmp_path, kind(rest), measure_load=lambda: 9.0):
        await ended(database, await enqueue(database))

    assert said.events("worker.paused") == []


async def test_a_queued_job_is_cancelled_at_once(database: Database) -> None:
    job_id = await enqueue(database)
    async with database.tenant("acme") as tx:
        assert await jobs.cancel(tx, job_id, actor=ADA, reason="not needed") is Status.CANCELLED

    assert await told(database, job_id) == ["created", "cancelled"]


async def test_a_job_in_hand_is_cancelled_where_it_stands(database: Database, tmp_path: Path) -> None:
    gate = Gate()
    slow = replace(QUICK, heartbeat=timedelta(seconds=15), lease=timedelta(seconds=30))
    async with working(database, tmp_path, kind(gate), limits=slow):
        job_id = await enqueue(database)
        await gate.entered.acquire()
        async with database.tenant("acme") as tx:
            await jobs.cancel(tx, job_id, actor=ADA)
        job = await ended(database, job_id)

    assert (job.status, gate.cut_off) == (Status.CANCELLED, 1)
    assert await told(database, job_id) == ["created", "processing", "cancel:requested", "cancelled"]


async def test_a_failed_job_is_tried_again_when_somebody_says_so(database: Database, tmp_path: Path) -> None:
    attempts: list[int] = []

    async def refuse_once(running: Running, note: Note) -> None:
        attempts.append(running.attempt)
        if running.attempt == 1:
            raise Fatal("no")

    async with working(database, tmp_path, kind(refuse_once)):
        job_id = await enqueue(database)
        await ended(database, job_id)
        async with database.tenant("acme") as tx:
            await jobs.retry(tx, job_id, actor=ADA, reason="mended")
        job = await became(database, job_id, lambda job: job.status is Status.DONE)

    assert attempts == [1, 2]
    assert job.failure_code is None
    async with database.tenant("acme") as tx:
        assert unlawful(await jobs.events(tx, job_id)) is None


@pytest.mark.req("RR-10")
async def test_a_shutdown_waits_for_what_is_in_hand_and_begins_nothing_new(database: Database, tmp_path: Path) -> None:
    gate = Gate()
    made = await enqueue_many(database, 6)
    async with working(database, tmp_path, kind(gate)) as worker:
        for _ in range(4):
            await gate.entered.acquire()
        worker.task.cancel()
        await asyncio.sleep(0)
        gate.open.set()
        await asyncio.wait([worker.task])

    assert [(await found(database, job_id)).status for job_id in made] == [Status.DONE] * 4 + [Status.QUEUED] * 2


@pytest.mark.req("RR-10")
async def test_a_job_at_a_safe_point_is_handed_back_without_losing_an_attempt(
    database: Database, tmp_path: Path, said: Said
) -> None:
    begun = asyncio.Event()

    async def step_by_step(running: Running, note: Note) -> None:
        while True:
            begun.set()
            await asyncio.sleep(0.01)
            running.checkpoint()

    async with working(database, tmp_path, kind(step_by_step)) as worker:
        job_id = await enqueue(database)
        await begun.wait()
        await worker.leave()

    job = await found(database, job_id)
    assert (job.status, job.attempt_count, job.lease_epoch) == (Status.QUEUED, 1, 1)
    assert await told(database, job_id) == ["created", "processing", "requeued:handed_back"]
    assert len(said.events("job.handed_back")) == 1


@pytest.mark.req("RR-10")
async def test_what_does_not_end_in_time_is_cut_off_and_left_to_its_lease(database: Database, tmp_path: Path) -> None:
    gate = Gate()
    hasty = replace(QUICK, shutdown=timedelta(seconds=0.1))
    async with working(database, tmp_path, kind(gate), limits=hasty) as worker:
        job_id = await enqueue(database)
        await gate.entered.acquire()
        await worker.leave()

    assert gate.cut_off == 1
    assert (await found(database, job_id)).status is Status.PROCESSING
    assert await told(database, job_id) == ["created", "processing", "aborted:shutdown"]
    await grow_old(database, job_id)
    async with working(database, tmp_path, kind(rest)):
        job = await ended(database, job_id)
    assert (job.status, job.attempt_count) == (Status.DONE, 2)


@pytest.mark.req("RR-1")
async def test_a_worker_that_cannot_beat_says_so_and_stops_its_jobs_before_their_leases_end(
    database: Database, database_url: str, tmp_path: Path, said: Said
) -> None:
    gate, loop = Gate(), asyncio.get_running_loop()
    # of a lease a tenth is left for unwinding: more than from one beat to the next, of which one may be under way
    brief = replace(QUICK, lease=timedelta(seconds=2), heartbeat=timedelta(seconds=0.1))
    in_time = loop.create_future()
    async with (
        Database(database_url, size=4) as cut_off,
        working(cut_off, tmp_path, kind(gate), limits=brief),
    ):
        job_id = await enqueue(database)
        await gate.entered.acquire()
        await cut_off._pool.close()
        last_beat = (await found(database, job_id)).last_heartbeat_at
        assert last_beat
        left = last_beat + brief.lease - datetime.now(UTC)
        # after a standstill the loop does what is overdue in the order in which it was due; a handler that is stopped
        # hears of it one turn later
        loop.call_later(
            left.total_seconds(), loop.call_soon, loop.call_soon, lambda: in_time.set_result(gate.gone.is_set())
        )
        assert await in_time

    assert [line["code"] for line in said.events("heartbeat.degraded")] == ["HEARTBEAT_DEGRADED"]
    assert (await found(database, job_id)).status is Status.PROCESSING


async def test_jobs_are_listed_newest_first_a_page_at_a_time(database: Database) -> None:
    made = [await enqueue(database) for _ in range(5)]

    async with database.tenant("acme") as tx:
        first = await jobs.listed(tx, limit=2)
        second = await jobs.listed(tx, limit=9, before=first[-1].job_id)

    assert [job.job_id for job in (*first, *second)] == made[::-1]
    assert all(waiting(job) for job in first)


async def test_what_is_no_job_is_answered_with_a_hint(database: Database) -> None:
    async with database.tenant("acme") as tx:
        for nobody in ("00000000-0000-7000-8000-000000000000", "x"):
            with pytest.raises(ValidationFailure) as refused:
                await jobs.cancel(tx, nobody, actor=ADA)
            assert "jobs list" in (refused.value.hint or "")
