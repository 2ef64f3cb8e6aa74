"""A home may be anywhere: deep, oddly named, closed to the engines' user."""

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from tests.integration.stack.homes import FAST, as_root, both_in, copied, postgres_in, put, temporal_in, uid_of, words

from windrow.contracts.errors import Code, Fatal
from windrow.stack import EmbeddedTemporal, Stack
from windrow.stack.copies import reachable_program
from windrow.stack.engine_user import engine_user
from windrow.stack.programs import postgres_install, temporal_program

DEEP = "/".join(["deeper-and-deeper-still"] * 12)
ODD = "a b/quest?ion#100%/né\"e'$HOME;ünï"


async def test_a_home_may_be_deeper_than_the_path_of_a_socket_may_be_long(base: Path, home: Path) -> None:
    elsewhere = base / DEEP
    move(home, elsewhere)

    async with Stack(postgres_in(elsewhere)) as stack:
        put(stack.database_url)

    assert len(str(elsewhere)) > 250
    move(elsewhere, home)


async def test_the_path_of_a_home_may_hold_any_character(base: Path, home: Path) -> None:
    elsewhere = base / ODD
    move(home, elsewhere)

    async with Stack(both_in(elsewhere)) as stack:
        put(stack.database_url)

    assert (elsewhere / "temporal" / "temporal.db").exists()
    move(elsewhere, home)


def move(home: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    home.rename(to)


async def test_a_home_may_be_a_link_and_relative(base: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "link").symlink_to(home)
    monkeypatch.chdir(base)

    async with Stack(replace(postgres_in(Path("link")), system_directory=base / "system")) as stack:
        put(stack.database_url)


def close(directory: Path) -> None:
    directory.chmod(0o700)


def modes(*directories: Path) -> list[int]:
    return [stat.S_IMODE(directory.stat().st_mode) for directory in directories]


@pytest.fixture
def closed(base: Path) -> Path:
    """A directory through which nobody but root may pass."""
    directory = base / "closed"
    directory.mkdir(mode=0o700)
    return directory


@as_root
async def test_below_a_closed_directory_the_data_is_kept_elsewhere_and_found_again(base: Path, closed: Path) -> None:
    config = replace(both_in(closed / "home"), system_directory=base / "system")
    before = modes(base, closed)

    async with Stack(config) as stack:
        written = put(stack.database_url)
    async with Stack(replace(config, temporal=None)) as stack:
        assert written in words(stack.database_url)

    [place] = (base / "system").iterdir()
    assert (closed / "home" / "engines.directory").read_text().strip() == str(place)
    assert modes(place / "postgres", place / "temporal") == [0o700, 0o700]
    assert modes(base, closed) == before


@as_root
async def test_the_data_of_a_closed_home_moves_with_it_but_not_with_a_copy_and_is_gone_without_it(base: Path) -> None:
    home = base / "home"
    home.mkdir(mode=0o700)
    async with Stack(postgres_in(home)) as stack:
        written = put(stack.database_url)
    assert modes(home) == [0o700]

    moved = home.rename(base / "moved")
    async with Stack(postgres_in(moved)) as stack:
        assert written in words(stack.database_url)

    copy = copied(moved, base / "copy")
    with pytest.raises(Fatal, match=f"of which {copy} is a copy"):
        await Stack(postgres_in(copy)).start()

    shutil.rmtree(moved)
    moved.mkdir(mode=0o700)
    async with Stack(postgres_in(moved)) as stack:
        with pytest.raises(psycopg.errors.UndefinedTable):
            words(stack.database_url)


@as_root
async def test_data_kept_elsewhere_that_is_gone_is_not_taken_for_an_empty_database(home: Path, base: Path) -> None:
    (home / "engines.directory").write_text(f"{base}/system/gone\n")

    with pytest.raises(Fatal, match="which is gone") as refused:
        await Stack(postgres_in(home)).start()

    assert refused.value.code is Code.CORRUPTED


@as_root
async def test_data_that_was_cut_off_is_not_taken_for_an_empty_database(home: Path, base: Path) -> None:
    close(base)

    with pytest.raises(Fatal, match="cannot reach") as refused:
        await Stack(postgres_in(home)).start()

    assert refused.value.code is Code.FORBIDDEN
    assert not (base / "system").exists()


@as_root
async def test_programs_that_the_engines_user_cannot_reach_are_copied_once(
    base: Path, home: Path, closed: Path
) -> None:
    shutil.copytree(postgres_install(), closed / "install", symlinks=True)
    config = postgres_in(home, replace(FAST, install=closed / "install"))

    for _ in range(2):
        async with Stack(config) as stack:
            put(stack.database_url)

    assert len(list((base / "system" / "engines").iterdir())) == 1
    assert modes(closed) == [0o700]


@as_root
async def test_a_temporal_that_its_user_cannot_reach_is_copied_once(base: Path, closed: Path) -> None:
    shutil.copy2(temporal_program(), closed)

    async with Stack(temporal_in(base / "home", EmbeddedTemporal(program=closed / "temporal"))) as stack:
        owner = uid_of(stack.health[0].pid)
    again = await reachable_program(closed / "temporal", engine_user("windrow"), base / "system")

    assert owner != 0
    assert [path / "temporal" for path in (base / "system" / "engines").iterdir()] == [again]
    assert modes(closed, closed / "temporal") == [0o700, modes(temporal_program())[0]]


@as_root
async def test_data_of_an_ordinary_user_stays_theirs_when_root_starts_the_stack(spare_home: Path) -> None:
    data = spare_home / "postgres"
    for path in (data, *data.rglob("*")):
        shutil.chown(path, "nobody")

    async with Stack(postgres_in(spare_home)) as stack:
        put(stack.database_url)

    assert {path.owner() for path in data.rglob("*")} == {"nobody"}


ORDINARY = """
import asyncio, os, sys
from pathlib import Path
from windrow.stack import *

async def main():
    config = StackConfig(Path(sys.argv[1]), EmbeddedPostgres(settings=UNSAFE_BUT_FAST), EmbeddedTemporal())
    async with Stack(config) as stack:
        owners = {Path(f"/proc/{each.pid}").stat().st_uid for each in stack.health}
        assert owners == {os.getuid()} and os.getuid() != 0, owners

asyncio.run(main())
"""


@as_root
def test_an_ordinary_user_runs_the_engines_as_themselves(base: Path) -> None:
    home = base / "theirs" / "home"
    home.parent.mkdir()
    shutil.chown(home.parent, "nobody")
    done = as_nobody([python_for_everyone(), "-c", ORDINARY, str(home)])

    assert done.returncode == 0, done.stderr
    assert {path.owner() for path in home.rglob("*")} == {"nobody"}
    assert modes(home) == [0o700]


# a Python below root's own directory starts, but finds neither its library nor itself
CAN_RUN = "import os, sys, psycopg, windrow.stack; sys.exit(not os.access(sys.executable, os.X_OK))"


def as_nobody(command: list[str]) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(entry for entry in sys.path if "site-packages" in entry or entry.endswith("/src"))
    become = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    env = {"PATH": f"{temporal_program().parent}:{os.defpath}", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*become, *command], env=env, cwd="/", capture_output=True, text=True)


def python_for_everyone() -> str:
    """A Python that an ordinary user may run, and that has what we need: ours may be below root's own directory."""
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is needed to become an ordinary user")
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and as_nobody([python, "-c", CAN_RUN]).returncode == 0:
            return python
    pytest.skip("no Python here can be run by an ordinary user")
