"""Workers that are killed, stopped or out of room in the middle of a clip: it is whole in the end, or fails for a true reason."""

import asyncio
import hashlib
import itertools
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.clips import films
from tests.stories.clips.crew import SHORT, Crew, Hand, is_there

from windrow.contracts.errors import Code
from windrow.jobs.job import Job, JobEvent, Status
from windrow.postgres import Database

pytestmark = pytest.mark.timeout(400)

SECONDS = 8
PATIENCE = 300


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that takes a while to cut."""
    path = tmp_path_factory.mktemp("films") / "film.mkv"
    picture = f"testsrc2=s=640x360:r=25:d={SECONDS},noise=alls=10:allf=t"
    films.ffmpeg("-f", "lavfi", "-i", picture, "-c:v", "mpeg4", "-q:v", "6", path)
    return path


@pytest.fixture
def crew(database: Database, film: Path, tmp_path: Path) -> Iterator[Crew]:
    # a hard link: what the operator allows is a directory, and a symbolic one would lead out of it
    (tmp_path / "film.mkv").hardlink_to(film)
    made = Crew(database, tmp_path)
    try:
        yield made
    finally:
        made.dismiss()


async def cutting(crew: Crew, hand: Hand, directory: Path) -> str:
    """A job that this worker is in the middle of."""
    job_id = await crew.ask(directory / "film.mkv", 0, SECONDS)
    await crew.until(job_id, "progress")
    assert hand.ffmpegs(), "the cut was over before it could be disturbed"
    return job_id


def story(befell: list[JobEvent]) -> list[str]:
    return [event for event, _ in itertools.groupby(event.event for event in befell)]


async def check(crew: Crew, job: Job, directory: Path) -> None:
    """One clip, whole, with the bytes that the row names."""
    assert (job.status, job.failure_code) == (Status.DONE, None), job.error
    assert job.artifact
    held = await crew.held(job.job_id)
    clip = held[f"results/{job.job_id}/clip.mp4"]
    assert hashlib.sha256(clip).hexdigest() == job.artifact["sha256"]
    path = directory / "found.mp4"
    path.write_bytes(clip)
    assert job.artifact["details"] == {"duration": SECONDS, "frames": SECONDS * films.RATE}
    assert films.ffmpeg("-xerror", "-i", path, "-f", "null", "-") == b""


@pytest.mark.req("RR-2", "RR-12", "RR-13")
async def test_a_worker_that_is_killed_in_the_middle_of_a_clip_is_recovered_from(crew: Crew, tmp_path: Path) -> None:
    first = crew.hire(lease=SHORT)
    async with asyncio.timeout(PATIENCE):
        job_id = await cutting(crew, first, tmp_path)
        ffmpeg = first.ffmpegs()
        first.send(signal.SIGKILL)
        first.process.wait()
        while any(map(is_there, ffmpeg)):  # it dies with its worker
            await crew.pause()
        second = crew.hire()
        job = await crew.ended(job_id)

    await check(crew, job, tmp_path)
    assert story(await crew.befell(job_id)) == [
        *("created", "processing", "source:ready", "progress", "requeued:stale"),
        *("processing", "source:ready", "progress", "uploaded", "done"),
    ]
    assert job.attempt_count == 2
    assert second.end() == 0


@pytest.mark.req("RR-6")
async def test_a_worker_that_slept_through_its_lease_changes_nothing_and_says_so(crew: Crew, tmp_path: Path) -> None:
    sleeper = crew.hire(lease=SHORT)
    async with asyncio.timeout(PATIENCE):
        job_id = await cutting(crew, sleeper, tmp_path)
        sleeper.send(signal.SIGSTOP)
        crew.hire()
        job = await crew.ended(job_id)
        await check(crew, job, tmp_path)
        before = await crew.held(job_id)

        sleeper.send(signal.SIGCONT)
        while not sleeper.said("job.lost"):
            await crew.pause()

    assert sleeper.end() == 0
    assert await crew.job(job_id) == job
    assert await crew.held(job_id) == before
    assert sleeper.said("clip.published") == []


@pytest.mark.req("RR-10")
async def test_a_worker_that_is_asked_to_end_finishes_its_clip_first(crew: Crew, tmp_path: Path) -> None:
    hand = crew.hire()
    async with asyncio.timeout(PATIENCE):
        job_id = await cutting(crew, hand, tmp_path)
        hand.send(signal.SIGTERM)
        job = await crew.ended(job_id)

    await check(crew, job, tmp_path)
    assert hand.end() == 0
    assert story(await crew.befell(job_id)) == ["created", "processing", "source:ready", "progress", "uploaded", "done"]


async def test_no_room_for_the_clip_is_a_failure_that_says_so(crew: Crew, tmp_path: Path) -> None:
    hand = crew.hire()
    resource.prlimit(hand.process.pid, resource.RLIMIT_FSIZE, (150_000, 150_000))

    async with asyncio.timeout(PATIENCE):
        job = await crew.ended(await crew.ask(tmp_path / "film.mkv", 0, SECONDS))

    assert (job.status, job.failure_code, job.attempt_count) == (Status.FAILED, Code.DISK_FULL, 1)
    assert job.error
    assert "no room for the clip" in job.error
    assert await crew.held(job.job_id) == {}
    assert hand.end() == 0
