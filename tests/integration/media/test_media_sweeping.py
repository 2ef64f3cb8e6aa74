"""What no event brings about, the sweep does (D4): jobs that wait, objects without a row, copies gone astray."""

from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from tests.integration.media.mirror_desk import SCOPE, Desk

from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Scope
from windrow.media.handling import Found, Handled, Outcome
from windrow.media.places import Place, Places
from windrow.media.stage import Stage
from windrow.media.sweeping import Sweeper
from windrow.objects import ObjectStore
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeup


class Sweep:
    """A sweeper whose handler answers as it is told, and remembers what it was given."""

    def __init__(self, desk: Desk, outcome: Outcome = Outcome.PROCESSED) -> None:
        self.taken: list[Found] = []
        self._outcome = outcome
        self.sweeper = Sweeper(desk.database, desk.places, self._handle, Wakeup(), SCOPE)

    async def _handle(self, found: Found) -> Handled:
        self.taken.append(found)
        return Handled(outcome=self._outcome, job_id=found.job_id)


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


async def change(desk: Desk, job_id: str, what: str) -> None:
    async with desk.database.tenant(SCOPE.tenant_id) as tx:
        await tx.connection.execute(f"UPDATE media_jobs SET {what} WHERE job_id = %s", (job_id,))


async def test_a_new_job_is_left_to_its_event_and_taken_up_when_that_has_had_its_time(desk: Desk) -> None:
    job_id = await desk.submit()
    sweep = Sweep(desk)
    assert await sweep.sweeper.step() == 0

    await change(desk, job_id, "not_before = clock_timestamp()")
    assert await sweep.sweeper.step() == 1
    assert [(found.scope, found.job_id, found.attempt) for found in sweep.taken] == [(SCOPE, job_id, 1)]


@pytest.mark.parametrize(
    "held", ["claimed_until = clock_timestamp() + interval '1 minute'", "stage = 'Cancelled'"], ids=["in hand", "ended"]
)
async def test_a_job_that_somebody_is_at_or_that_has_ended_is_not_taken_up(desk: Desk, held: str) -> None:
    job_id = await desk.submit()
    await change(desk, job_id, f"not_before = clock_timestamp(), {held}")

    assert await Sweep(desk).sweeper.step() == 0


async def test_a_claim_whose_worker_is_gone_keeps_nobody_away(desk: Desk) -> None:
    job_id = await desk.submit()
    await change(desk, job_id, "not_before = clock_timestamp(), claimed_until = clock_timestamp(), attempts = 3")
    sweep = Sweep(desk)

    assert await sweep.sweeper.step() == 1
    assert sweep.taken[0].attempt == 4


async def test_a_job_that_did_not_go_on_is_not_tried_again_at_once(desk: Desk) -> None:
    """Its failure could not even be written down: the loop pauses instead of spinning."""
    job_id = await desk.submit()
    await change(desk, job_id, "not_before = clock_timestamp()")

    assert await Sweep(desk, Outcome.ERROR).sweeper.step() == 0


async def test_the_sweep_finds_a_copy_that_lies_where_its_job_is_not(desk: Desk) -> None:
    job_id = await desk.submit()
    await desk.go(job_id, Stage.FAILED)
    await desk.settle()
    store = desk.objects.unwatched(SCOPE.tenant_id)
    await store.put(f"jobs/Processing/{job_id}.json", b"{}")
    sweep = Sweep(desk)
    sweeper = sweep.sweeper

    assert await sweeper.look_through() == 0, "what was written a moment ago may be somebody's who is at it"
    assert await sweeper.look_through(datetime.now().astimezone() + timedelta(hours=1)) == 1
    await desk.settle()

    assert await desk.folders(job_id) == ["jobs/Failed"]
    assert sweep.taken == []


async def test_an_object_that_nobody_knows_is_taken_up_by_the_sweep(desk: Desk) -> None:
    """Although its tenant has no job yet: the first event may have come while the database was away."""
    store = desk.objects.unwatched(SCOPE.tenant_id)
    for key in ("jobs/Queued/dropped.json", "jobs/Queued/.hidden.json", "jobs/Queued/deep/er.json"):
        await store.put(key, b"{}")
    sweep = Sweep(desk)
    await sweep.sweeper.look_through(datetime.now().astimezone() + timedelta(hours=1))

    assert [(found.scope, found.job_id) for found in sweep.taken] == [(SCOPE, "dropped")]


async def test_a_store_that_is_away_keeps_nobody_else_from_being_looked_through(database: Database) -> None:
    class Away:
        def __getattr__(self, name: str) -> Any:
            raise RetryableTransient("the store is away", code=Code.STORAGE_UNAVAILABLE)

    other = Scope("other", "default")
    desk = Desk(database)
    desk.places = Places(
        desk.objects, Place("windrow"), "default", {Place("theirs"): (other, cast("ObjectStore", Away()))}
    )
    await desk.objects.unwatched(SCOPE.tenant_id).put("jobs/Queued/dropped.json", b"{}")
    sweep = Sweep(desk)

    await sweep.sweeper.look_through(datetime.now().astimezone() + timedelta(hours=1))

    assert [found.job_id for found in sweep.taken] == ["dropped"]
