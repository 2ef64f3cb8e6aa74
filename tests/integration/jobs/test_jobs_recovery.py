"""Recovery, promotion, heartbeats, retention: what happens to jobs that nobody looks after."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Said
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import enqueue, enqueue_many, found, grow_old, kind, rest, told

from windrow import jobs
from windrow.contracts.errors import Code
from windrow.contracts.scope import Actor
from windrow.jobs import Status, Terms
from windrow.postgres import Database


@pytest.mark.req("RR-2", "RR-12")
async def test_a_job_whose_worker_is_gone_is_queued_again_as_the_next_attempt(database: Database, said: Said) -> None:
    job_id = await enqueue(database)
    await Hands(database, "gone").acquire()
    await grow_old(database, job_id)

    assert await jobs.recover(database) == 1

    job = await found(database, job_id)
    assert (job.status, job.attempt_count, job.worker) == (Status.QUEUED, 2, None)
    assert await told(database, job_id) == ["created", "processing", "requeued:stale"]
    assert [line["lost_worker"] for line in said.events("job.recovered")] == ["gone"]


@pytest.mark.req("RR-2", "RR-13")
async def test_after_the_last_attempt_it_is_given_up(database: Database) -> None:
    hands = Hands(database, "gone")
    job_id = await enqueue(database)
    for _ in range(3):
        await hands.acquire()
        await grow_old(database, job_id)
        await jobs.recover(database)

    job = await found(database, job_id)
    assert (job.status, job.failure_code, job.attempt_count) == (Status.FAILED, Code.RETRIES_EXHAUSTED, 3)
    assert (await told(database, job_id))[-1] == "failed"


@pytest.mark.req("RR-2")
async def test_a_job_whose_heart_beats_is_left_alone(database: Database) -> None:
    job_id = await enqueue(database)
    hands = Hands(database, "alive")
    (one,) = await hands.acquire()
    await grow_old(database, job_id)
    await hands.beat(one)

    assert await jobs.recover(database) == 0


async def test_recovery_knows_no_kinds(database: Database) -> None:
    job_id = await enqueue(database, name="foreign")
    await Hands(database, "gone", kind(rest, "foreign")).acquire()
    await grow_old(database, job_id)

    await jobs.recover(database)

    assert (await found(database, job_id)).status is Status.QUEUED


async def test_a_pass_is_bounded_and_two_at_once_share_the_work(database: Database) -> None:
    made = await enqueue_many(database, 10)
    await Hands(database, "gone").acquire(10)
    for job_id in made:
        await grow_old(database, job_id)

    assert await jobs.recover(database, most=4) == 4
    both = await asyncio.gather(jobs.recover(database), jobs.recover(database))

    assert sum(both) == 6
    assert {len(await told(database, job_id)) for job_id in made} == {3}


async def test_a_cancelled_job_is_not_queued_again(database: Database) -> None:
    job_id = await enqueue(database)
    await Hands(database, "gone").acquire()
    async with database.tenant("acme") as tx:
        await jobs.cancel(tx, job_id, actor=Actor("ada", "test"))
    await grow_old(database, job_id)

    await jobs.recover(database)

    assert (await found(database, job_id)).status is Status.CANCELLED
    assert await told(database, job_id) == ["created", "processing", "cancel:requested", "cancelled"]


async def test_a_scheduled_job_joins_the_line_when_it_is_due(database: Database) -> None:
    job_id = await enqueue(database, terms=Terms(run_at=datetime.now(UTC) + timedelta(hours=1)))
    assert await jobs.promote(database) == 0
    async with database.system() as tx:
        await tx.connection.execute("UPDATE jobs SET run_at = clock_timestamp()")

    assert await jobs.promote(database) == 1
    assert (await found(database, job_id)).status is Status.QUEUED


@pytest.mark.req("RR-1")
async def test_heartbeats_are_one_statement_that_updates_in_place(database: Database) -> None:
    """A heap-only update leaves the indexes alone; one index on the heartbeat would make every beat touch them all."""
    await enqueue_many(database, 100)
    hands = Hands(database, "one")
    taken = await hands.acquire(100)
    before = await _updates(database)

    for _ in range(20):
        assert len(await hands.beat(*taken)) == 100

    after = await _updates(database)
    updated, in_place = (now - then for now, then in zip(after, before, strict=True))
    assert updated == 2000
    # nearly all of them, on a server of one's own (`make bench`); somebody else's old transaction may keep a page full for a tick
    assert in_place >= 0.5 * updated


async def _updates(database: Database) -> tuple[int, int]:
    async with database.connection() as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        row = await (
            await connection.execute(
                "SELECT pg_stat_get_tuples_updated(oid) AS all, pg_stat_get_tuples_hot_updated(oid) AS hot"
                " FROM pg_class WHERE oid = 'windrow.jobs'::regclass"
            )
        ).fetchone()
    assert row
    return row["all"], row["hot"]


async def test_no_index_has_the_heartbeat(database: Database) -> None:
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'jobs'")
        definitions = [row["indexdef"] for row in await cursor.fetchall()]

    assert len(definitions) >= 5
    assert [one for one in definitions if "heartbeat" in one] == []


async def test_what_ended_long_ago_is_pruned_with_its_events_and_nothing_else_is(database: Database) -> None:
    hands = Hands(database, "one")
    old, recent, open_job = await enqueue(database), await enqueue(database), await enqueue(database)
    first, second = await hands.acquire(2)
    await hands.end_all([first, second])
    async with database.system() as tx:
        await tx.connection.execute("UPDATE jobs SET finished_at = now() - interval '8 days' WHERE id = %s", [old])

    assert await jobs.prune(database) == 1

    async with database.tenant("acme") as tx:
        assert {job.job_id for job in await jobs.listed(tx)} == {recent, open_job}
        assert await jobs.events(tx, old) == []
        assert len(await jobs.events(tx, recent)) == 3
