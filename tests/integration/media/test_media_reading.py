"""Media jobs are submitted, listed, and forgotten after their time."""

from datetime import timedelta

import pytest
from tests.integration.media.studio import SCOPE, TOPICS, URL, Studio, found

from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.media.controlling import retry
from windrow.media.errors import EnrichmentImpossible
from windrow.media.job import ClipWish
from windrow.media.reading import Last, counts, listed, timeline
from windrow.media.retention import prune
from windrow.media.rows import find
from windrow.media.stage import Stage
from windrow.postgres import Database

ADA = Actor("ada", "test")
WEEK = timedelta(days=7)


@pytest.fixture
def studio(database: Database) -> Studio:
    return Studio(database)


async def test_a_submitted_job_is_queued_and_told_of(studio: Studio) -> None:
    job_id = await studio.submit(clip=ClipWish(start=1, end=2.5))

    job = await studio.job(job_id)
    assert (job.stage, job.moves, job.job.media.type, job.job.media.url) == (Stage.QUEUED, 1, "youtube", URL)
    assert job.job.clip == ClipWish(start=1, end=2.5)
    [told] = await studio.messages(TOPICS.events)
    assert (told.payload["to"], told.payload["number"]) == ("Queued", 1)


async def test_an_id_is_given_once(studio: Studio) -> None:
    await studio.submit(job_id="talk-1")

    with pytest.raises(Conflict, match="already") as refused:
        await studio.submit(job_id="talk-1")
    assert refused.value.code is Code.ALREADY_EXISTS
    assert await studio.stages("talk-1") == ["Queued"]


@pytest.mark.parametrize("job_id", ["..", "%2e", "a\0", "a\n", "-a", "a" * 300, "a/b", ""])
async def test_an_id_that_could_lead_elsewhere_is_refused(studio: Studio, job_id: str) -> None:
    with pytest.raises(ValidationFailure):
        await studio.submit(job_id=job_id)


async def test_jobs_are_listed_page_by_page_from_the_newest(studio: Studio) -> None:
    made = [await studio.submit() for _ in range(5)]
    studio.oracle.always = EnrichmentImpossible("gone")
    await studio.handler.handle(found(made[2]))

    async with studio.database.tenant(SCOPE.tenant_id) as tx:
        seen, last = list[str](), None
        while page := await listed(tx, after=last, limit=2):
            seen += [one.job.job_id for one in page]
            last = Last(page[-1].job.created_at, page[-1].job.job_id)
        failed = await listed(tx, stage=Stage.FAILED)
        assert await listed(tx, project="another") == []
        assert await counts(tx) == {Stage.QUEUED: 4, Stage.FAILED: 1}

    assert seen == made[::-1]
    assert [one.job.job_id for one in failed] == [made[2]]


async def test_a_tenant_sees_no_other_tenants_jobs(studio: Studio) -> None:
    job_id = await studio.submit()

    async with studio.database.tenant("globex") as tx:
        assert await find(tx, job_id) is None
        assert await listed(tx) == []
        with pytest.raises(ValidationFailure, match="there is no media job"):
            await timeline(tx, job_id)
    other = found(job_id)
    handled = await studio.handler.handle(type(other)(scope=Scope("globex", "main"), job_id=job_id))
    assert handled.reason == "gone"


async def _grow_old(studio: Studio, *job_ids: str) -> None:
    async with studio.database.system() as tx:
        await tx.connection.execute(
            "UPDATE media_jobs SET updated_at = now() - interval '8 days', mirrored = moves WHERE job_id = ANY(%s)",
            [list(job_ids)],
        )


async def test_what_ended_long_ago_is_forgotten_with_its_objects_and_nothing_else_is(studio: Studio) -> None:
    untaken, old, young, waiting = [await studio.submit() for _ in range(4)]
    await studio.handler.handle(found(untaken))
    studio.oracle.always = EnrichmentImpossible("gone")
    for job_id in (old, young):
        await studio.handler.handle(found(job_id))
    await _grow_old(studio, untaken, old, waiting)
    forgotten = []

    async def forget(scope: Scope, job_id: str) -> None:
        forgotten.append((scope, job_id))

    assert await prune(studio.database, forget, keep=WEEK) == 2

    assert sorted(forgotten, key=str) == sorted([(SCOPE, untaken), (SCOPE, old)], key=str)
    async with studio.database.tenant(SCOPE.tenant_id) as tx:
        assert {one.job.job_id for one in await listed(tx)} == {young, waiting}


async def test_what_cannot_be_forgotten_now_stays_and_is_not_begun_anew(studio: Studio, said) -> None:
    studio.oracle.always = EnrichmentImpossible("gone")
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))
    await _grow_old(studio, job_id)

    async def away(scope: Scope, job_id: str) -> None:
        raise ConnectionError("the store is away")

    assert await prune(studio.database, away, keep=WEEK) == 0

    assert [line["job_id"] for line in said.events("media.kept")] == [job_id]
    with pytest.raises(Conflict):
        async with studio.database.tenant(SCOPE.tenant_id) as tx:
            await retry(tx, job_id, topics=TOPICS, actor=ADA)

    async def there(scope: Scope, job_id: str) -> None:
        pass

    assert await prune(studio.database, there, keep=WEEK) == 1


async def test_the_messages_of_a_job_whose_id_was_used_before_are_others(studio: Studio) -> None:
    studio.oracle.always = EnrichmentImpossible("gone")

    async def there(scope: Scope, job_id: str) -> None:
        pass

    for _ in range(2):
        await studio.submit(job_id="talk-1")
        await studio.handler.handle(found("talk-1"))
        await _grow_old(studio, "talk-1")
        assert await prune(studio.database, there, keep=WEEK) == 1

    assert await studio.said() == {"media.events/JobStatusChanged": 4, "media.dlq/DeadJob": 2}
