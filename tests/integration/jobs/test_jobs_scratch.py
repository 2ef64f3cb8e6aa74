"""Scratch: what executions leave on the worker's disk."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.integration.jobs.workshop import QUICK, Note, ended, enqueue, kind, working

from windrow import jobs
from windrow.contracts.errors import Fatal
from windrow.jobs import Running
from windrow.postgres import Database


def left(root: Path) -> list[Path]:
    return [path.relative_to(root) for path in root.rglob("frame")]


@pytest.mark.req("RR-9")
async def test_scratch_is_gone_after_success_and_kept_after_failure(
    database: Database, tmp_path: Path, said: Said
) -> None:
    async def write(running: Running, note: Note) -> None:
        (running.scratch / "frame").write_bytes(b"12345")
        if note.text == "bad":
            raise Fatal("no")

    async with working(database, tmp_path, kind(write)):
        good, bad = await enqueue(database), await enqueue(database, "bad")
        await ended(database, good)
        await ended(database, bad)

    assert [path.parts[1] for path in left(tmp_path)] == [bad]
    (kept,) = said.events("scratch.kept")
    assert kept["job_id"] == bad
    assert kept["bytes"] == 5


@pytest.mark.req("RR-9")
async def test_scratch_is_kept_after_success_where_that_is_asked_for(database: Database, tmp_path: Path) -> None:
    async def write(running: Running, note: Note) -> None:
        (running.scratch / "frame").write_bytes(b"12345")

    async with working(database, tmp_path, kind(write), limits=replace(QUICK, keep_scratch=True)):
        await ended(database, await enqueue(database))

    assert len(left(tmp_path)) == 1


@pytest.mark.req("RR-9")
def test_old_scratch_is_cleaned_and_young_scratch_is_not(tmp_path: Path, said: Said) -> None:
    for job, age in (("old", 7200), ("young", 60)):
        place = tmp_path / "acme" / job / "1"
        place.mkdir(parents=True)
        (place / "frame").write_bytes(b"12345")
        for path in (place / "frame", place):
            os.utime(path, (100_000 - age, 100_000 - age))

    cleaned = jobs.clean(tmp_path, older_than=3600, now=100_000)

    assert cleaned.directories == 1
    assert [path.name for path in (tmp_path / "acme").iterdir()] == ["young"]
    assert jobs.clean(tmp_path / "nowhere", older_than=0, now=1).directories == 0
