"""On one machine the store announces itself: what lies among the queued ones is told of, once in each version."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.conftest import Said
from tests.fakes.youtube import a_video, backend_error
from tests.integration.events.counter import OWN, Desk, a_job

from windrow.app.announcing import Announcer, Bearer
from windrow.http import HttpClient, HttpPolicy
from windrow.objects.local import LocalObjects
from windrow.postgres.wakeups import Wakeup

HICCUPS = 3


class Town:
    """An announcer that is asked to look, and a clock that is set by hand."""

    def __init__(self, at_desk: Desk, http: HttpClient) -> None:
        self.now = 0.0
        assert isinstance(at_desk.objects, LocalObjects)
        self._announcer = Announcer(
            at_desk.objects,
            at_desk.work.places,
            OWN.project_id,
            http,
            at_desk.served.url,
            Wakeup(),
            clock=lambda: self.now,
        )

    async def look(self) -> None:
        """Once, and until all that was announced is answered."""
        async with asyncio.TaskGroup() as under_way:
            await self._announcer.look(under_way)


@pytest.fixture
async def town(at_desk: Desk) -> AsyncIterator[Town]:
    door = at_desk.served.url.removeprefix("http://")
    policy = HttpPolicy(source="announcer", allow=(door,))
    async with HttpClient(policy, base_url=at_desk.served.url, auth=Bearer(at_desk.served.token)) as http:
        yield Town(at_desk, http)


async def test_a_submitted_job_is_announced_as_soon_as_its_object_lies_there(
    at_desk: Desk, town: Town, said: Said
) -> None:
    job_id = await at_desk.submit()
    await town.look()
    await at_desk.mirrored()
    before = said.events("metadata.worker.received")

    await town.look()
    await town.look()

    assert before == []
    assert [line["job_id"] for line in said.events("metadata.worker.received")] == [job_id]
    assert await at_desk.stages(job_id) == ["Queued", "MetadataReady"]


async def test_what_others_drop_into_the_folder_becomes_a_job(at_desk: Desk, town: Town) -> None:
    at_desk.youtube.shows(a_video())
    await at_desk.store.put("jobs/Queued/theirs.json", a_job("theirs"))

    await town.look()
    await at_desk.mirrored()

    assert await at_desk.stages("theirs") == ["Queued", "MetadataReady"]
    assert await at_desk.folders("theirs") == ["jobs/Processing"]


async def test_what_is_no_job_is_announced_once_in_each_version(at_desk: Desk, town: Town, said: Said) -> None:
    await at_desk.store.put("jobs/Queued/notes.txt", b"remember the milk")
    await at_desk.store.put("jobs/Queued/bad.json", b"{}")
    for _ in range(3):
        town.now += 3600
        await town.look()
    once = len(said.events("metadata.worker.failed"))

    await at_desk.store.put("jobs/Queued/bad.json", b"{ }")
    await town.look()

    assert (once, len(said.events("metadata.worker.failed"))) == (2, 3)
    assert await at_desk.jobs() == 0


async def test_what_may_yet_go_better_is_announced_again_after_some_minutes(
    at_desk: Desk, town: Town, said: Said
) -> None:
    job_id = await at_desk.submit()
    await at_desk.mirrored()
    at_desk.youtube.refuses(*[backend_error()] * HICCUPS)
    await town.look()
    await at_desk.pass_time()
    await town.look()
    waiting = await at_desk.stages(job_id)

    town.now += 301
    await town.look()

    assert waiting == ["Queued"]
    assert await at_desk.stages(job_id) == ["Queued", "MetadataReady"]
    assert len(said.events("metadata.worker.received")) == 2
