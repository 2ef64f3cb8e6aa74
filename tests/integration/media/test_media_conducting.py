"""Enriched jobs go to the job runtime, once, and end as they end there; people may cancel and retry."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import pytest
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import Note
from tests.integration.media.mortal import Died, Life, MortalDatabase
from tests.integration.media.studio import ENRICHED, SCOPE, TOPICS, Studio, found

from windrow import jobs
from windrow.contracts.errors import Conflict, Fatal, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.jobs.failure import End
from windrow.media import controlling
from windrow.media.conducting import CHANNEL, Conductor, Ordered
from windrow.media.job import MediaJob
from windrow.media.reading import timeline
from windrow.media.stage import BY_JOB, WAYS, Stage
from windrow.postgres import Database, audit
from windrow.postgres.wakeups import Wakeup, Wakeups

ADA = Actor("ada", "test")


@dataclass
class Hall:
    """A studio, a conductor, and the hands of a worker of the runtime."""

    studio: Studio
    conductor: Conductor
    hands: Hands

    async def enriched(self) -> str:
        job_id = await self.studio.submit()
        await self.studio.handler.handle(found(job_id))
        return job_id

    async def processing(self) -> str:
        job_id = await self.enriched()
        assert await self.conductor.step()
        return job_id

    async def runtime(self) -> list[jobs.Job]:
        async with self.studio.database.tenant(SCOPE.tenant_id) as tx:
            return await jobs.listed(tx)

    async def acts(self, what: str, job_id: str) -> MediaJob:
        act = {"cancel": controlling.cancel, "retry": controlling.retry}[what]
        async with self.studio.database.tenant(SCOPE.tenant_id) as tx:
            return await act(tx, job_id, topics=TOPICS, actor=ADA, reason="because")


def order(job: MediaJob) -> Ordered:
    return Ordered("note", Note(text=job.job.job_id))


@pytest.fixture
def hall(database: Database) -> Hall:
    conductor = Conductor(database, order, TOPICS, Wakeup())
    return Hall(Studio(database), conductor, Hands(database, "one"))


async def test_an_enriched_job_is_handed_over_once(hall: Hall) -> None:
    job_id = await hall.enriched()

    await asyncio.gather(*(hall.conductor.step() for _ in range(5)))

    [ordered] = await hall.runtime()
    job = await hall.studio.job(job_id)
    assert (job.stage, job.job.runtime_job_id) == (Stage.PROCESSING, ordered.job_id)
    assert (ordered.payload, ordered.correlation_id) == ({"text": job_id}, "cause-1")
    assert await hall.studio.said() == ENRICHED | {"media.events/JobStatusChanged": 3}
    assert not await hall.conductor.step()


async def test_a_conductor_may_die_after_each_of_its_steps(hall: Hall) -> None:
    for steps in range(12):
        job_id = await hall.enriched()
        for life in (Life(steps), Life(None)):
            dying = Conductor(MortalDatabase(hall.studio.database, life), order, TOPICS, Wakeup())
            try:
                await dying.step()
            except Died:
                continue
        assert await hall.studio.stages(job_id) == ["Queued", "MetadataReady", "Processing"]
    assert len(await hall.runtime()) == 12


@pytest.mark.parametrize(
    ("end", "error", "stage"),
    [
        (End.DONE, None, Stage.COMPLETED),
        (End.FAILED, Fatal("no disk"), Stage.FAILED),
        (End.CANCELLED, None, Stage.CANCELLED),
    ],
)
async def test_a_job_ends_as_the_job_that_works_on_it(hall: Hall, end: End, error: Fatal | None, stage: Stage) -> None:
    job_id = await hall.processing()
    [execution] = await hall.hands.acquire()
    assert not await hall.conductor.step()
    await hall.hands.end(execution, end, error)

    assert await hall.conductor.step()

    job = await hall.studio.job(job_id)
    assert job.stage is stage
    assert not await hall.conductor.step()
    letters = await hall.studio.messages(TOPICS.dead_letters)
    assert [letter.payload["reason"] for letter in letters] == (["no disk"] if error else [])
    told = [
        one.payload.get("details", {})
        for one in await hall.studio.messages(TOPICS.events)
        if one.attributes["kind"] == "JobStatusChanged"
    ]
    assert told == [change.details for change in await hall.studio.changes(job_id)]


async def test_a_job_whose_work_is_tried_again_has_not_failed(hall: Hall) -> None:
    job_id = await hall.processing()
    [execution] = await hall.hands.acquire()
    await hall.hands.end(execution, End.FAILED, Fatal("no disk"))
    async with hall.studio.database.tenant(SCOPE.tenant_id) as tx:
        await jobs.retry(tx, execution.job_id, actor=ADA)

    assert not await hall.conductor.step()

    assert (await hall.studio.job(job_id)).stage is Stage.PROCESSING


async def test_a_job_that_the_runtime_has_forgotten_has_failed(hall: Hall) -> None:
    job_id = await hall.processing()
    async with hall.studio.database.system() as tx:
        await tx.connection.execute("DELETE FROM jobs")

    await hall.conductor.step()

    job = await hall.studio.job(job_id)
    assert (job.stage, (job.job.error or {})["code"]) == (Stage.FAILED, "GONE")


async def test_a_job_that_nobody_here_takes_stays_enriched_and_holds_nobody_up(hall: Hall) -> None:
    job_id = await hall.enriched()
    waiting = Conductor(hall.studio.database, lambda _: None, TOPICS, Wakeup())

    assert [await waiting.step(), await waiting.step()] == [True, False]

    assert (await hall.studio.job(job_id)).stage is Stage.METADATA_READY
    await hall.studio.pass_time()
    assert await hall.conductor.step()


@pytest.mark.parametrize(
    ("error", "stage"),
    [(ValidationFailure("no such stretch"), Stage.FAILED), (KeyError("a fault of ours"), Stage.METADATA_READY)],
    ids=["wrong", "unlucky"],
)
async def test_an_order_that_cannot_be_placed_holds_nobody_up(hall: Hall, error: Exception, stage: Stage) -> None:
    wrong, right = await hall.enriched(), await hall.enriched()

    def picky(job: MediaJob) -> Ordered:
        if job.job.job_id == wrong:
            raise error
        return order(job)

    conductor = Conductor(hall.studio.database, picky, TOPICS, Wakeup())
    while await conductor.step():
        pass

    assert (await hall.studio.job(wrong)).stage is stage
    assert (await hall.studio.job(right)).stage is Stage.PROCESSING
    for _ in range(8):
        await hall.studio.pass_time()
        await conductor.step()
    assert (await hall.studio.job(wrong)).stage is Stage.FAILED


async def test_a_conductor_is_woken_by_what_has_become_ready(hall: Hall) -> None:
    wakeups = Wakeups(hall.studio.database.url)
    patient = Conductor(hall.studio.database, order, TOPICS, wakeups.on(CHANNEL), poll=timedelta(hours=1))
    seen = wakeups.on(CHANNEL)
    running = [asyncio.create_task(wakeups.run()), asyncio.create_task(patient.run())]
    try:
        await wakeups.listening.wait()
        job_id = await hall.enriched()
        while (await hall.studio.job(job_id)).stage is not Stage.PROCESSING:
            assert await seen.wait(60)
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)


async def test_a_job_is_cancelled_wherever_it_stands(hall: Hall) -> None:
    cancelled = [await hall.studio.submit(), await hall.enriched()]
    for job_id in cancelled:
        assert (await hall.acts("cancel", job_id)).stage is Stage.CANCELLED
        assert (await hall.acts("cancel", job_id)).stage is Stage.CANCELLED
    waiting = await hall.processing()

    assert (await hall.acts("cancel", waiting)).stage is Stage.CANCELLED

    assert [one.status for one in await hall.runtime()] == ["cancelled"]
    async with hall.studio.database.tenant(SCOPE.tenant_id) as tx:
        [entry] = await audit.history(tx, subject=f"media/{waiting}")
    assert (entry.actor, entry.action, entry.reason) == ("ada", "media.cancel", "because")


async def test_a_job_in_hand_is_cancelled_when_its_worker_has_stopped(hall: Hall) -> None:
    job_id = await hall.processing()
    [execution] = await hall.hands.acquire()
    assert (await hall.acts("cancel", job_id)).stage is Stage.PROCESSING
    await hall.hands.end(execution, End.CANCELLED)

    await hall.conductor.step()

    assert (await hall.studio.job(job_id)).stage is Stage.CANCELLED


async def test_a_job_that_was_cancelled_begins_anew_with_a_new_job_of_the_runtime(hall: Hall) -> None:
    job_id = await hall.processing()
    await hall.acts("cancel", job_id)

    again = await hall.acts("retry", job_id)

    assert (again.stage, again.attempts, again.job.runtime_job_id, again.job.metadata_snapshot) == (
        Stage.QUEUED,
        0,
        None,
        None,
    )
    await hall.studio.handler.handle(found(job_id))
    await hall.conductor.step()
    job = await hall.studio.job(job_id)
    assert (job.stage, job.job.metadata_version) == (Stage.PROCESSING, 2)
    assert len(await hall.runtime()) == 2
    with pytest.raises(Conflict, match="no way to Queued"):
        await hall.acts("retry", job_id)


async def test_a_timeline_tells_of_the_stages_and_of_the_work(hall: Hall) -> None:
    job_id = await hall.processing()
    [execution] = await hall.hands.acquire()
    await hall.hands.end(execution)
    await hall.conductor.step()

    async with hall.studio.database.tenant(SCOPE.tenant_id) as tx:
        told = [(one.of, one.event) for one in await timeline(tx, job_id)]

    # the runtime's job is there a moment before the stage that says so
    assert told == [
        ("media", "Queued"),
        ("media", "MetadataReady"),
        ("job", "created"),
        ("media", "Processing"),
        ("job", "processing"),
        ("job", "done"),
        ("media", "Completed"),
    ]


def test_every_end_in_the_runtime_is_one_here() -> None:
    assert set(BY_JOB) == set(jobs.Status)
    assert all(BY_JOB[status].is_final is status.is_final for status in jobs.Status)


@pytest.mark.req("EV-7")
async def test_the_database_knows_the_same_ways_and_takes_no_other(database: Database) -> None:
    ways = {("", Stage.QUEUED)} | {(before, after) for before, further in WAYS.items() for after in further}
    everywhere = ["", *Stage]
    async with database.tenant(SCOPE.tenant_id) as tx:
        cursor = await tx.connection.execute(
            "SELECT pg_get_constraintdef(oid) AS told FROM pg_constraint WHERE conname = 'a_way_there_is'"
        )
        row = await cursor.fetchone()
        assert row
        check = row["told"].removeprefix("CHECK ")
        allowed = set()
        for before in everywhere:
            for after in everywhere:
                cursor = await tx.connection.execute(
                    f"SELECT {check} AS fine FROM (VALUES (%s::text, %s::text)) AS way (from_stage, to_stage)",
                    [before, after],
                )
                found_way = await cursor.fetchone()
                if found_way and found_way["fine"]:
                    allowed.add((before, after))

    assert allowed == ways


async def test_a_row_that_cannot_be_read_holds_up_nobody_elses_jobs(hall: Hall) -> None:
    """An older version wrote it, say: it waits by itself, and those behind it are handed over."""
    unreadable, other = await hall.enriched(), await hall.enriched()
    async with hall.studio.database.tenant(SCOPE.tenant_id) as tx:
        await tx.connection.execute("UPDATE media_jobs SET snapshot = '{}' WHERE job_id = %s", (unreadable,))

    await hall.conductor.step()

    assert (await hall.studio.job(other)).stage is Stage.PROCESSING
