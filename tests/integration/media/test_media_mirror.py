"""Objects follow the row: one folder in the end, none never, whatever breaks in between (D5, EV-7)."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.media.mirror_desk import SCOPE, Desk

from windrow.contracts.errors import Code, Conflict
from windrow.media.mirror import astray
from windrow.media.stage import WAYS, Stage
from windrow.postgres import Database


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


@pytest.mark.req("EV-7")
async def test_a_job_lies_in_the_folder_of_its_stage_and_each_change_has_its_object(desk: Desk) -> None:
    job_id = await desk.submit()
    await desk.settle()
    assert await desk.folders(job_id) == ["jobs/Queued"]

    for stage, folder in (
        (Stage.METADATA_READY, "jobs/Processing"),
        (Stage.PROCESSING, "jobs/Processing"),
        (Stage.FAILED, "jobs/Failed"),
        (Stage.QUEUED, "jobs/Queued"),
        (Stage.CANCELLED, "jobs/Cancelled"),
    ):
        await desk.go(job_id, stage)
        await desk.settle()
        assert await desk.folders(job_id) == [folder]
        assert await desk.shown(folder, job_id) is stage

    assert await desk.told(job_id) == ["Queued", "MetadataReady", "Processing", "Failed", "Queued", "Cancelled"]


@pytest.mark.req("EV-7")
async def test_the_next_folder_and_the_event_are_written_before_the_old_one_is_left(desk: Desk) -> None:
    job_id = await desk.submit()
    await desk.settle()
    desk.objects.writes.clear()

    await desk.go(job_id, Stage.METADATA_READY)
    await desk.mirror().step()

    verbs = [(verb, key.rpartition("/")[0]) for verb, key in (write.split() for write in desk.objects.writes)]
    assert verbs == [("put", "jobs/Processing"), ("put", f"events/{job_id}"), ("delete", "jobs/Queued")]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
async def test_whatever_breaks_off_the_job_is_never_in_no_folder_and_in_the_end_in_one(
    database: Database, data: st.DataObject
) -> None:
    desk = Desk(database)
    job_id = await desk.submit()
    await desk.settle()
    desk.objects.after = lambda: _is_somewhere(desk, job_id)
    stages = [Stage.QUEUED]
    for _ in range(data.draw(st.integers(1, 5), label="changes")):
        ways = sorted(WAYS[stages[-1]])
        if not ways:
            break
        stages.append(data.draw(st.sampled_from(ways), label="to"))
        await desk.go(job_id, stages[-1])
        desk.objects.writes.clear()
        desk.objects.fails_after = data.draw(st.none() | st.integers(0, 4), label="fails after")
        await desk.mirror().step()
    desk.objects.fails_after = None
    await desk.settle()

    assert await desk.folders(job_id) == [stages[-1].folder]
    assert await desk.shown(stages[-1].folder, job_id) is stages[-1]
    assert await desk.told(job_id) == stages


async def _is_somewhere(desk: Desk, job_id: str) -> None:
    assert await desk.folders(job_id)


@pytest.mark.parametrize("verb", ["put", "delete"])
async def test_a_mirror_that_slept_through_its_claim_leaves_nothing_behind(desk: Desk, verb: str) -> None:
    """It wakes before it writes (or deletes) for a stage that the job has long left."""
    job_id = await desk.submit()
    await desk.settle()
    await desk.go(job_id, Stage.METADATA_READY)
    asleep, awake = asyncio.Event(), asyncio.Event()

    async def sleep(what: str, key: str) -> None:
        if what == verb and key.startswith("jobs/") and not asleep.is_set():
            asleep.set()
            await awake.wait()

    desk.objects.before = sleep
    async with asyncio.TaskGroup() as group:
        zombie = group.create_task(desk.mirror().step())
        await asleep.wait()
        await desk.go(job_id, Stage.FAILED)
        await desk.settle()
        assert await desk.folders(job_id) == ["jobs/Failed"]
        awake.set()
        await zombie
    desk.objects.before = None
    await desk.settle()

    assert await desk.folders(job_id) == ["jobs/Failed"]
    assert await desk.shown("jobs/Failed", job_id) is Stage.FAILED


async def test_an_older_word_does_not_replace_a_newer_one_in_the_same_folder(desk: Desk) -> None:
    """MetadataReady and Processing lie in one folder: the write of a mirror that was overtaken is refused by its guard."""
    job_id = await desk.submit()
    await desk.go(job_id, Stage.METADATA_READY)
    asleep, awake = asyncio.Event(), asyncio.Event()

    async def sleep(_: str, key: str) -> None:
        if key.startswith("jobs/") and not asleep.is_set():
            asleep.set()
            await awake.wait()

    desk.objects.before = sleep
    async with asyncio.TaskGroup() as group:
        group.create_task(desk.mirror().step())
        await asleep.wait()
        await desk.go(job_id, Stage.PROCESSING)
        await desk.settle()
        awake.set()

    assert await desk.shown("jobs/Processing", job_id) is Stage.PROCESSING


async def test_a_job_that_goes_astray_while_it_is_mirrored_is_mirrored_anew(desk: Desk) -> None:
    job_id = await desk.submit()
    await desk.settle()
    await desk.go(job_id, Stage.METADATA_READY)

    async def drop(verb: str, _: str) -> None:
        if verb == "delete":
            async with desk.database.tenant(SCOPE.tenant_id) as tx:
                await astray(tx, job_id)
            await desk.objects.unwatched(SCOPE.tenant_id).put(f"jobs/Failed/{job_id}.json", b"{}")
            desk.objects.before = None

    desk.objects.before = drop
    await desk.mirror().step()
    await desk.settle()

    assert await desk.folders(job_id) == ["jobs/Processing"]


async def test_nothing_is_left_of_a_job_that_is_forgotten(desk: Desk) -> None:
    job_id = await desk.submit()
    await desk.go(job_id, Stage.FAILED)
    await desk.settle()

    await desk.mirror().forget(SCOPE, job_id)

    assert [listed.key async for listed in desk.objects.unwatched(SCOPE.tenant_id).list()] == []


async def test_a_job_whose_place_is_taken_is_left_for_a_while_and_holds_up_nobody(desk: Desk) -> None:
    """A directory, say, lies where its object should: the others are mirrored, and it is not tried again at once."""
    blocked = await desk.submit()

    async def taken(_: str, key: str) -> None:
        if blocked in key:
            raise Conflict("something is there", code=Code.ALREADY_EXISTS)

    desk.objects.before = taken
    await desk.mirror().step()
    other = await desk.submit()
    tried = [await desk.mirror().step() for _ in range(3)]

    assert await desk.folders(other) == ["jobs/Queued"]
    assert tried == [1, 0, 0]


async def test_a_row_that_cannot_be_read_holds_up_nobody_elses_objects(desk: Desk) -> None:
    unreadable, other = await desk.submit(), await desk.submit()
    async with desk.database.tenant(SCOPE.tenant_id) as tx:
        await tx.connection.execute("UPDATE media_jobs SET media = '{}' WHERE job_id = %s", (unreadable,))

    await desk.mirror().step()

    assert await desk.folders(other) == ["jobs/Queued"]
