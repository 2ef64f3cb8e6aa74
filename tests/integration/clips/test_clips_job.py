"""A clip as a job: what is left behind, and what a second try makes of what a first one has left."""

import asyncio
import hashlib
import itertools
import os
import shutil
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.integration.clips import films
from tests.integration.clips.studio import ACME, Studio
from tests.integration.clips.test_clips_cut import children_of, name_of

from windrow.clips import publishing
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Actor
from windrow.jobs import control
from windrow.jobs.job import Status
from windrow.jobs.retention import prune
from windrow.jobs.running import Artifact


def without_repeats(events: list[str]) -> list[str]:
    return [event for event, _ in itertools.groupby(events)]


@pytest.mark.req("RR-12")
async def test_a_good_job_tells_its_story_in_order(studio: Studio, film: Path) -> None:
    job = await studio.made(f"file:{film}", 1, 2)

    assert job.status is Status.DONE
    assert without_repeats(await studio.befell(job.job_id)) == [
        "created",
        "processing",
        "source:ready",
        "progress",
        "uploaded",
        "done",
    ]


@pytest.mark.req("RR-5")
async def test_the_clip_is_in_its_place_with_the_bytes_that_the_row_names(studio: Studio, film: Path) -> None:
    job = await studio.made(f"file:{film}", 1, 2)

    assert job.artifact
    clip = await studio.store.get(f"results/{job.job_id}/clip.mp4")
    assert job.artifact["key"] == f"results/{job.job_id}/attempts/1/clip.mp4"
    assert (job.artifact["size"], job.artifact["sha256"]) == (len(clip), hashlib.sha256(clip).hexdigest())
    assert job.artifact["details"] == {"duration": 1.0, "frames": 25}
    assert await studio.manifest(job.job_id) == {
        "clip": f"results/{job.job_id}/clip.mp4",
        "size": len(clip),
        "sha256": hashlib.sha256(clip).hexdigest(),
        "duration": 1.0,
        "frames": 25,
    }


async def test_the_clip_in_the_store_has_the_frames_that_were_asked_for(
    studio: Studio, film: Path, tmp_path: Path
) -> None:
    await studio.store.put_file("films/one.mp4", film)

    job = await studio.made("object:films/one.mp4", 0.5, 1.5)

    found = tmp_path / "found.mp4"
    write(found, await studio.store.get(f"results/{job.job_id}/clip.mp4"))
    assert films.frames(found) == list(range(13, 38))


@pytest.mark.parametrize(
    ("source", "start", "end", "code"),
    [
        ("file:{film}", 10, 11, Code.OUT_OF_RANGE),
        ("file:{film}", 3, 5, Code.OUT_OF_RANGE),
        ("file:{film}.gone", 0, 1, Code.NOT_FOUND),
        ("file:/etc/hostname", 0, 1, Code.FORBIDDEN),
        ("object:nothing", 0, 1, Code.NOT_FOUND),
        ("http://127.0.0.1:1/film", 0, 1, Code.ADDRESS_REFUSED),
    ],
)
@pytest.mark.req("RR-7")
async def test_what_can_only_fail_again_fails_at_once(
    studio: Studio, film: Path, source: str, start: float, end: float, code: Code
) -> None:
    job = await studio.made(source.format(film=film), start, end)

    assert (job.status, job.failure_code, job.attempt_count) == (Status.FAILED, code, 1)
    assert await studio.keys() == []


async def test_a_source_that_is_no_film_fails_at_once(studio: Studio) -> None:
    await studio.store.put("text", b"no film")

    job = await studio.made("object:text", 0, 1)

    assert (job.status, job.failure_code) == (Status.FAILED, Code.UNREADABLE)


@pytest.mark.req("RR-5")
async def test_a_clip_that_an_earlier_try_has_made_is_published_and_not_cut_again(
    studio: Studio, film: Path, tmp_path: Path, said: Said
) -> None:
    mine = tmp_path / "mine.mp4"
    shutil.copy(film, mine)
    job_id = await studio.ask(f"file:{mine}", 1, 2)

    async def gone(_: Artifact) -> None:
        remove(mine)  # to cut again would fail

    await studio.work_unluckily(then=gone)

    job = await studio.job(job_id)
    assert without_repeats(await studio.befell(job_id)) == [
        *("created", "processing", "source:ready", "progress", "uploaded", "requeued:error"),
        *("processing", "done"),
    ]
    assert job.artifact
    clip = await studio.store.get(f"results/{job_id}/clip.mp4")
    assert hashlib.sha256(clip).hexdigest() == job.artifact["sha256"]
    assert [line["reused"] for line in said.events("clip.published")] == [True]


@pytest.mark.req("RR-5")
@pytest.mark.parametrize("damage", ["changed", "gone"])
async def test_a_clip_of_an_earlier_try_that_is_not_whole_any_more_is_cut_again(
    studio: Studio, film: Path, said: Said, damage: str
) -> None:
    job_id = await studio.ask(f"file:{film}", 1, 2)
    named: list[Artifact] = []

    async def damaged(artifact: Artifact) -> None:
        named.append(artifact)
        if damage == "gone":
            await studio.store.delete(artifact.key)
        else:
            await studio.store.put(artifact.key, b"x" * artifact.size)

    await studio.work_unluckily(then=damaged)

    job = await studio.job(job_id)
    assert job.status is Status.DONE
    assert job.artifact
    assert job.artifact["key"] == f"results/{job_id}/attempts/2/clip.mp4"
    assert job.artifact["sha256"] == named[0].sha256, "the same source gives the same bytes"
    assert [line["reused"] for line in said.events("clip.published")] == [False]


async def test_a_source_that_is_damaged_is_cut_if_no_frame_is_missing_and_that_is_said(
    studio: Studio, tmp_path: Path, said: Said
) -> None:
    source = tmp_path / "damaged.avi"
    films.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2", "-c:v", "mpeg4", "-q:v", "3", source)
    spoil(source)

    job = await studio.made(f"file:{source}", 0, 2)

    assert (job.status, job.error) == (Status.DONE, None)
    assert [line["job_id"] for line in said.events("clip.concealed")] == [job.job_id]


async def test_a_clip_that_is_cancelled_while_it_is_cut_leaves_no_process_and_no_result(
    studio: Studio, tmp_path: Path
) -> None:
    source = tmp_path / "long.mkv"
    films.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-c:v", "mpeg4", source)
    job_id = await studio.ask(f"file:{source}", 0, 20)

    async with asyncio.TaskGroup() as group:
        group.create_task(studio.work())
        while "progress" not in await studio.befell(job_id):
            await studio.pause()
        async with studio.database.tenant(ACME.tenant_id) as tx:
            await control.cancel(tx, job_id, actor=Actor("tests", "tests"))

    assert (await studio.job(job_id)).status is Status.CANCELLED
    assert not [pid for pid in children_of(os.getpid()) if "ffmpeg" in name_of(pid)]
    assert await studio.keys() == []
    assert files_below(studio.scratch) == []


async def test_what_earlier_tries_have_left_is_removed_with_the_last(studio: Studio, film: Path) -> None:
    job_id = await studio.ask(f"file:{film}", 0, 1)
    await studio.store.put(f"results/{job_id}/attempts/0/clip.mp4", b"of a worker that died before it named it")
    await studio.store.put(f"results/{job_id}/attempts/2/clip.mp4", b"of a worker that came later")

    await studio.work()

    assert await studio.keys() == [
        f"results/{job_id}/attempts/1/clip.mp4",
        f"results/{job_id}/attempts/2/clip.mp4",
        f"results/{job_id}/clip.json",
        f"results/{job_id}/clip.mp4",
    ]


async def test_publishing_again_changes_nothing(studio: Studio, film: Path) -> None:
    job = await studio.made(f"file:{film}", 0, 1)
    keys = await studio.keys()
    held = {key: await studio.store.get(key) for key in keys}

    assert job.artifact
    for _ in range(2):
        await publishing.publish(studio.store, job.job_id, Artifact(**job.artifact))

    assert {key: await studio.store.get(key) for key in await studio.keys()} == held


async def test_an_attempt_that_was_damaged_since_does_not_replace_a_whole_clip(studio: Studio, film: Path) -> None:
    job = await studio.made(f"file:{film}", 0, 1)
    assert job.artifact
    clip = await studio.store.get(f"results/{job.job_id}/clip.mp4")
    await studio.store.put(job.artifact["key"], b"damaged")

    with pytest.raises(Fatal) as refused:
        await publishing.publish(studio.store, job.job_id, Artifact(**job.artifact))

    assert refused.value.code is Code.CORRUPTED
    assert await studio.store.get(f"results/{job.job_id}/clip.mp4") == clip


async def test_a_job_that_is_pruned_leaves_nothing_in_the_store_and_others_keep_theirs(
    studio: Studio, film: Path
) -> None:
    job = await studio.made(f"file:{film}", 0, 1)
    await studio.store.put(f"results/{job.job_id}/attempts/7/clip.mp4", b"of a worker that died before it named it")
    await studio.store.put(f"results/{job.job_id}0/clip.mp4", b"another's")
    async with studio.database.system() as tx:
        await tx.connection.execute("UPDATE jobs SET finished_at = now() - interval '8 days'")

    assert await prune(studio.database, [studio.clips.kind()]) == 1

    assert await studio.keys() == [f"results/{job.job_id}0/clip.mp4"]


@pytest.mark.req("RR-9")
async def test_scratch_is_empty_after_a_good_clip(studio: Studio, film: Path) -> None:
    await studio.store.put_file("film", film)

    await studio.made("object:film", 0, 1)

    assert files_below(studio.scratch) == []


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def spoil(path: Path) -> None:
    """A few wrong bytes within the pictures."""
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 60] = bytes(60)
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


def files_below(path: Path) -> list[Path]:
    return [found for found in path.rglob("*") if found.is_file()]
