"""Homes for stacks under test, and what to look for outside of them."""

import asyncio
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from windrow.contracts.retry import RetryPolicy
from windrow.stack import UNSAFE_BUT_FAST, Care, EmbeddedPostgres, EmbeddedTemporal, Stack, StackConfig

FAST = EmbeddedPostgres(settings=UNSAFE_BUT_FAST)
# gives up after two tries, a moment apart
IMPATIENT = Care(restarts=RetryPolicy(timedelta(milliseconds=10), timedelta(milliseconds=10), attempts=2))

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its engines a user of their own")


def both_in(home: Path, temporal: EmbeddedTemporal | None = None) -> StackConfig:
    """A stack of both engines."""
    return StackConfig(home, FAST, temporal or EmbeddedTemporal(), system_directory=home.parent / "system")


def postgres_in(home: Path, postgres: EmbeddedPostgres = FAST) -> StackConfig:
    """A stack of Postgres alone."""
    return StackConfig(home, postgres, temporal=None, system_directory=home.parent / "system")


def temporal_in(home: Path, temporal: EmbeddedTemporal | None = None) -> StackConfig:
    """A stack of Temporal alone."""
    return StackConfig(home, None, temporal or EmbeddedTemporal(), system_directory=home.parent / "system")


def passable_directory() -> Path:
    """Root's engines run as another user, who can pass through here, unlike through pytest's own directories."""
    directory = Path(tempfile.mkdtemp(prefix="windrow-"))
    directory.chmod(0o711)
    return directory


@pytest.fixture
def base() -> Iterator[Path]:
    """A directory that is gone after the test."""
    directory = passable_directory()
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def running() -> Iterator[Stack]:
    """Both engines in a home that was empty before, for tests that only look."""
    directory = passable_directory()
    with asyncio.Runner() as runner:
        stack = runner.run(Stack(both_in(directory / "home", EmbeddedTemporal(namespaces=("meta",)))).start())
        yield stack
        runner.run(stack.stop())
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def made_once() -> Iterator[Path]:
    """The home of a stopped stack, to be lent or copied: making one takes most of a second."""
    directory = passable_directory()
    with asyncio.Runner() as runner:
        stack = runner.run(Stack(postgres_in(directory / "home")).start())
        runner.run(stack.stop())
    yield directory / "home"
    shutil.rmtree(directory)


@pytest.fixture
def home(base: Path, made_once: Path) -> Iterator[Path]:
    """A home whose database is lent: it holds what earlier tests wrote, and must be given back in good order."""
    home = new_home(base / "home")
    shutil.copy2(made_once / "postgres.password", home)
    (made_once / "postgres").rename(home / "postgres")
    yield home
    (home / "postgres").rename(made_once / "postgres")


@pytest.fixture
def spare_home(base: Path, made_once: Path) -> Path:
    """A home whose database may be damaged."""
    return settle(base / "home", made_once)


def new_home(home: Path) -> Path:
    """As a stack would make it."""
    home.mkdir(parents=True)
    home.chmod(0o711 if os.geteuid() == 0 else 0o700)
    return home


def settle(home: Path, made: Path) -> Path:
    """Copy the data of a stopped stack to a new home."""
    new_home(home)
    copied(made / "postgres.password", home)
    copied(made / "postgres", home)
    return home


def copied(original: Path, copy: Path) -> Path:
    """A faithful copy, owners included."""
    subprocess.run(["cp", "-a", original, copy], check=True)
    return copy


def put(url: str) -> str:
    """Commit one row, and answer what is in it."""
    word = secrets.token_hex(8)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS words (word text)")
        connection.execute("INSERT INTO words VALUES (%s)", [word])
    return word


def words(url: str) -> set[str]:
    """What was committed."""
    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute("SELECT word FROM words")}


def uid_of(pid: int | None) -> int:
    """Whom a process runs as."""
    return Path(f"/proc/{pid}").stat().st_uid


def command_lines() -> bytes:
    """How every process on this machine was called, as anyone may see."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(entry.read_bytes())
    return b"\n".join(lines)


def processes_in(directory: Path) -> set[int]:
    """Every process that works in the directory or below."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(directory):
                found.add(int(entry.name))
    return found


async def gone(pids: Iterable[int]) -> None:
    """Wait until processes that are not our children have ended."""
    loop = asyncio.get_running_loop()
    for pid in pids:
        try:
            watched = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        ended = asyncio.Event()
        loop.add_reader(watched, ended.set)
        await ended.wait()
        loop.remove_reader(watched)
        os.close(watched)
