"""Acquire: who gets what, in which order, within which limits."""

import asyncio

import pytest
from tests.conftest import Said
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import SCOPE, enqueue, enqueue_many, found, grow_old, kind, rest

from windrow import jobs
from windrow.contracts.scope import Scope
from windrow.jobs import Status, Terms
from windrow.jobs.execution import Execution
from windrow.postgres import Database

OTHER = Scope("other", "main")


def ids(executions: list[Execution]) -> list[str]:
    return [one.job_id for one in sorted(executions, key=lambda one: one.claim.seq)]


async def test_no_more_than_asked_for_are_taken_and_the_oldest_first(database: Database) -> None:
    made = await enqueue_many(database, 10)

    assert ids(await Hands(database, "one").acquire(3)) == made[:3]


async def test_a_higher_priority_is_taken_first(database: Database) -> None:
    await enqueue(database)
    urgent = await enqueue(database, terms=Terms(priority=10))

    assert ids(await Hands(database, "one").acquire(1)) == [urgent]


async def test_an_urgent_job_that_comes_later_overtakes_what_the_worker_is_at(database: Database) -> None:
    hands = Hands(database, "one")
    await enqueue_many(database, 5)
    await hands.acquire(2)
    urgent = await enqueue(database, terms=Terms(priority=10))
    hands.intake._look_at = 0.0  # as soon as it looks again

    assert ids(await hands.acquire(1)) == [urgent]


async def test_tenants_are_served_in_turn_whatever_their_backlogs(database: Database) -> None:
    await enqueue_many(database, 50)
    await enqueue_many(database, 2, scope=OTHER)

    taken = await Hands(database, "one").acquire(4)

    assert sorted(one.scope.tenant_id for one in taken) == ["acme", "acme", "other", "other"]


async def test_with_room_for_one_the_turn_goes_round(database: Database) -> None:
    hands = Hands(database, "one")
    await enqueue_many(database, 5)
    await enqueue_many(database, 5, scope=OTHER)

    taken = [(await hands.acquire(1))[0].scope.tenant_id for _ in range(4)]

    assert taken == ["acme", "other", "acme", "other"]


async def test_kinds_that_are_not_known_here_stay_for_others(database: Database) -> None:
    foreign = await enqueue(database, name="foreign")
    ours = await enqueue(database)

    assert ids(await Hands(database, "one").acquire(5)) == [ours]
    assert (await found(database, foreign)).status is Status.QUEUED


@pytest.mark.req("RR-6")
async def test_workers_that_acquire_at_once_never_take_the_same_job(database: Database) -> None:
    made = await enqueue_many(database, 60)
    workers = [Hands(database, f"worker-{number}") for number in range(6)]

    taken: list[Execution] = []
    while len(taken) < 60:
        for batch in await asyncio.gather(*(worker.acquire(5) for worker in workers)):
            taken += batch

    assert sorted(ids(taken)) == sorted(made)
    assert {one.epoch for one in taken} == {1}


async def test_a_kind_never_runs_more_often_at_once_than_it_may_over_all_workers(database: Database) -> None:
    await enqueue_many(database, 20)
    workers = [Hands(database, f"worker-{number}", kind(rest, most=3)) for number in range(4)]

    taken = await asyncio.gather(*(worker.acquire(5) for worker in workers))

    assert sum(map(len, taken)) == 3
    await workers[0].end(next(one for batch in taken for one in batch))
    assert len(await workers[1].acquire(5)) == 1


async def test_a_tenant_never_has_more_in_hand_than_it_may(database: Database) -> None:
    await enqueue_many(database, 20)
    await enqueue_many(database, 20, scope=OTHER)
    workers = [Hands(database, f"worker-{number}", tenant_most=2) for number in range(4)]

    taken = await asyncio.gather(*(worker.acquire(5) for worker in workers))

    assert sorted(one.scope.tenant_id for batch in taken for one in batch) == ["acme", "acme", "other", "other"]


async def test_a_kind_at_its_limit_does_not_hold_up_another_of_the_same_tenant(database: Database) -> None:
    hands = Hands(database, "one", kind(rest, most=1), kind(rest, "other"), tenant_most=5)
    await enqueue_many(database, 10, terms=Terms(priority=5))
    await enqueue_many(database, 3, name="other")

    assert sorted(one.claim.kind for one in await hands.acquire(5)) == ["note", "other", "other", "other"]


async def test_a_job_below_the_floor_is_found_at_the_next_look(database: Database) -> None:
    """What was requeued keeps its place, before jobs that a busy worker has reached already."""
    hands, other = Hands(database, "one"), Hands(database, "two")
    first = (await enqueue_many(database, 20))[0]
    await other.acquire(1)
    await hands.acquire(5)
    await grow_old(database, first)
    await jobs.recover(database)
    hands.intake._look_at = 0.0

    assert ids(await hands.acquire(1)) == [first]


async def test_what_was_taken_without_a_commit_is_taken_again(database: Database) -> None:
    made = await enqueue_many(database, 3)
    hands = Hands(database, "one")
    with pytest.raises(RuntimeError):
        async with database.system() as tx:
            await hands.intake.take(tx, 3)
            raise RuntimeError
    hands.intake.forget()

    assert ids(await hands.acquire(3)) == made


@pytest.mark.req("RR-6")
async def test_a_start_by_id_skips_a_job_that_another_has_in_hand(database: Database, said: Said) -> None:
    job_id = await enqueue(database)
    first = await Hands(database, "one").start(SCOPE.tenant_id, job_id)

    second = await Hands(database, "two").start(SCOPE.tenant_id, job_id)

    assert first is not None
    assert second is None
    assert [line["reason"] for line in said.events("job.skipped")] == ["processing"]
    assert (await found(database, job_id)).worker == "one"


async def test_a_start_by_id_takes_that_job_and_not_the_oldest(database: Database) -> None:
    made = await enqueue_many(database, 3)

    taken = await Hands(database, "one").start(SCOPE.tenant_id, made[1])

    assert taken is not None
    assert taken.job_id == made[1]


async def test_a_tenant_sees_only_its_own_jobs(database: Database) -> None:
    theirs = await enqueue(database, scope=OTHER)

    async with database.tenant("acme") as tx:
        assert await jobs.find(tx, theirs) is None
        assert await jobs.events(tx, theirs) == []
        assert await jobs.listed(tx) == []
        assert await jobs.counts(tx) == []


async def test_a_tenant_may_be_called_null(database: Database) -> None:
    """Statements name many jobs at once as the literal of an array, in which a bare null is nothing."""
    nobody = Scope("null", "main")
    job_id = await enqueue(database, scope=nobody)
    hands = Hands(database, "one")
    (one,) = await hands.acquire()

    assert await hands.beat(one) == {(job_id, 1): False}
    await hands.end(one)
    assert (await found(database, job_id, "null")).status is Status.DONE
