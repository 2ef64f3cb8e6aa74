"""A disk that fills up."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.integration.stack.homes import postgres_in, put, settle, temporal_in, words

from windrow.contracts.errors import Code, Fatal
from windrow.stack import EmbeddedPostgres, Stack


def small_disk(at: Path, megabytes: int) -> Iterator[Path]:
    at.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=711", "tmpfs", at], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk is not allowed here")
    yield at
    subprocess.run(["umount", at], check=True)


@pytest.fixture
def tiny(base: Path) -> Iterator[Path]:
    """A disk too small for a database."""
    yield from small_disk(base / "tiny", 20)


@pytest.fixture
def small(base: Path) -> Iterator[Path]:
    """A disk with room for a database and little more."""
    yield from small_disk(base / "small", 80)


async def test_making_a_database_on_a_full_disk_is_refused_and_leaves_nothing_half_made(tiny: Path) -> None:
    with pytest.raises(Fatal, match="the disk is full") as refused:
        await Stack(postgres_in(tiny / "home")).start()

    assert refused.value.code is Code.DISK_FULL
    assert refused.value.hint
    assert not list((tiny / "home").glob("postgres*"))


async def test_a_disk_without_room_for_the_smallest_file(tiny: Path) -> None:
    fill(tiny)

    with pytest.raises(Fatal) as refused:
        await Stack(postgres_in(tiny / "home")).start()

    assert refused.value.code is Code.DISK_FULL


async def test_temporal_on_a_full_disk(tiny: Path) -> None:
    fill(tiny, leaving=64 * 1024)

    with pytest.raises(Fatal) as refused:
        await Stack(temporal_in(tiny / "home")).start()

    assert refused.value.code is Code.DISK_FULL


async def test_a_disk_that_fills_while_postgres_runs_loses_nothing_that_was_committed(
    small: Path, made_once: Path
) -> None:
    home = settle(small / "home", made_once)
    async with Stack(postgres_in(home, EmbeddedPostgres())) as stack:
        before = put(stack.database_url)
        filler = fill(small)
        with pytest.raises(psycopg.errors.DiskFull):
            put_a_lot(stack.database_url)
        filler.unlink()
        after = put(stack.database_url)

    async with Stack(postgres_in(home)) as stack:
        assert {before, after} <= words(stack.database_url)


def put_a_lot(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE bulk AS SELECT repeat(md5(g::text), 50) FROM generate_series(1, 50000) g")


def fill(disk: Path, *, leaving: int = 0) -> Path:
    """Take all the room there is."""
    found = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize - leaving)
    return filler
