"""An object among the queued that is no job is said once by each process, and counted as long as it lies there."""

from datetime import datetime, timedelta

import prometheus_client
import pytest
from tests.conftest import Said
from tests.integration.media.studio import SCOPE, Studio, found, queued

from windrow.media.job import as_bytes
from windrow.media.places import Place, Places
from windrow.media.sweeping import Sweeper
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeup


class Worker:
    """A process: its handler, and its sweep."""

    def __init__(self, studio: Studio) -> None:
        self.handler = studio.another_handler(studio.database)
        places = Places(studio.objects, Place("windrow"), "default")
        self._sweeper = Sweeper(
            studio.database, places, self.handler.handle, Wakeup(), SCOPE, unreadable=self.handler.unreadable
        )

    async def looks_through(self, times: int = 1) -> None:
        """As it does every quarter of an hour, when what was dropped is not young any more."""
        for _ in range(times):
            await self._sweeper.look_through(datetime.now().astimezone() + timedelta(hours=1))


@pytest.fixture
def studio(database: Database) -> Studio:
    return Studio(database)


def shown() -> list[float]:
    return [
        one.value
        for family in prometheus_client.REGISTRY.collect()
        for one in family.samples
        if one.name == "media_unreadable_objects"
    ]


NO_JOBS = {
    "no JSON": b"not a job",
    "another's name": as_bytes(queued("other")),
    "names no medium": as_bytes(queued("dropped")).replace(b"https://", b"gopher://"),
    "too large": b" " * 300_000,
}


@pytest.mark.parametrize("data", NO_JOBS.values(), ids=NO_JOBS)
async def test_it_is_said_once_however_often_the_folder_is_looked_through(
    studio: Studio, said: Said, data: bytes
) -> None:
    await studio.drop("dropped", data)
    worker = Worker(studio)

    await worker.looks_through(3)

    for event in ("received", "failure", "failed"):
        assert len(said.events(f"metadata.worker.{event}")) == 1, event
    assert shown() == [1.0]


async def test_it_is_not_said_again_by_the_sweep_of_the_process_that_its_event_came_to(
    studio: Studio, said: Said
) -> None:
    await studio.drop("dropped", b"not a job")
    worker = Worker(studio)

    await worker.handler.handle(found("dropped"))
    await worker.looks_through()

    assert len(said.events("metadata.worker.failed")) == 1


async def test_another_version_of_it_is_looked_at(studio: Studio, said: Said) -> None:
    await studio.drop("dropped", b"not a job")
    worker = Worker(studio)
    await worker.looks_through()

    await studio.drop("dropped", b"not a job either")
    await worker.looks_through(2)
    assert len(said.events("metadata.worker.failed")) == 2

    await studio.drop("dropped")
    await worker.looks_through()
    assert await studio.stages("dropped") == ["Queued", "MetadataReady"]


async def test_one_that_is_taken_away_is_counted_no_more(studio: Studio) -> None:
    worker = Worker(studio)
    for name in ("one", "two"):
        await studio.drop(name, b"not a job")
    await worker.looks_through()
    assert shown() == [2.0]

    await studio.store.delete("jobs/Queued/one.json")
    await worker.looks_through()
    assert shown() == [1.0]


async def test_each_process_says_it_and_there_is_one_dead_letter(studio: Studio, said: Said) -> None:
    await studio.drop("dropped", b"not a job")

    await Worker(studio).looks_through(2)
    await Worker(studio).looks_through(2)

    assert len(said.events("metadata.worker.failed")) == 2
    assert await studio.said() == {"media.dlq/Undecodable": 1}
