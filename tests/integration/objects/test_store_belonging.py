"""A database and its object store belong together: another store is refused before anything is written there."""

import asyncio
import json
import os
import shutil
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from windrow.app.belonging import adopt, join, paired
from windrow.app.checks import Check, Verdict, examine
from windrow.app.outside import objects
from windrow.cli.tree import planted
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Actor
from windrow.objects.identity import identity
from windrow.postgres import Database, audit
from windrow.settings import Settings

ADA = Actor("ada", "test")


def home(database: Database, place: Path) -> Settings:
    """A machine of the installation, with its store below its home."""
    return Settings(home=place, database_url=database.url)


async def joins(settings: Settings, database: Database) -> None:
    await join(settings, database, objects(settings))


async def refusal(settings: Settings, database: Database) -> Fatal:
    with pytest.raises(Fatal) as refused:
        await joins(settings, database)
    assert refused.value.code is Code.CONFIGURATION
    return refused.value


async def checked(settings: Settings, adopter: Actor | None = None) -> Check:
    """The doctor's word about the store."""
    async with aclosing(examine(settings, adopter=adopter)) as checks:
        return next(check for check in [check async for check in checks] if check.name == "store")


@pytest.fixture
async def first(database: Database, tmp_path: Path) -> Settings:
    """A machine whose store is the one of the database."""
    settings = home(database, tmp_path / "first")
    await joins(settings, database)
    return settings


async def test_a_process_with_a_store_of_its_own_is_refused_and_leaves_it_as_it_was(
    database: Database, first: Settings, tmp_path: Path
) -> None:
    other = home(database, tmp_path / "other")

    error = await refusal(other, database)

    assert f"{first.home}/objects on " in error.message
    assert "WINDROW_OBJECT_STORE" in str(error.hint)
    assert not other.home.exists()
    await joins(first, database)


async def test_the_store_of_another_database_is_refused(database: Database, first: Settings, tmp_path: Path) -> None:
    other = home(database, tmp_path / "other")
    await objects(other).own().put("identity", b"0" * 32)

    assert "is not the one of this database" in (await refusal(other, database)).message


async def test_of_two_stores_that_come_at_once_one_is_the_databases(database: Database, tmp_path: Path) -> None:
    homes = [home(database, tmp_path / str(number)) for number in range(6)]

    ended = await asyncio.gather(*(joins(settings, database) for settings in homes), return_exceptions=True)

    assert sum(one is None for one in ended) == 1
    assert all(one is None or (isinstance(one, Fatal) and one.code is Code.CONFIGURATION) for one in ended)


async def test_processes_that_start_at_once_with_the_same_store_all_start(database: Database, tmp_path: Path) -> None:
    same = home(database, tmp_path)

    await asyncio.gather(*(joins(same, database) for _ in range(6)))


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
async def test_a_store_that_was_moved_or_came_back_from_a_backup_is_the_same(
    database: Database, first: Settings, tmp_path: Path, how: object
) -> None:
    assert callable(how)
    how(first.home / "objects", tmp_path / "elsewhere")

    await joins(first.model_copy(update={"object_store": f"file:{tmp_path / 'elsewhere'}"}), database)


async def test_an_empty_store_with_an_old_database_is_told_as_a_loss_until_it_is_adopted(
    database: Database, first: Settings
) -> None:
    shutil.rmtree(first.home / "objects")

    assert "bring it back from a backup" in str((await refusal(first, database)).hint)
    lost = await checked(first)
    assert (lost.verdict, "--adopt-store" in str(lost.hint)) == (Verdict.FAIL, True)
    assert await identity(objects(first)) is None

    assert (await checked(first, adopter=ADA)).verdict is Verdict.OK
    await joins(first, database)


async def test_who_adopts_a_store_is_written_down_and_the_one_before_is_a_stranger(
    database: Database, first: Settings, tmp_path: Path
) -> None:
    other = home(database, tmp_path / "other")

    await adopt(other, database, objects(other), ADA)
    await adopt(other, database, objects(other), ADA)  # it is the one already

    await joins(other, database)
    await refusal(first, database)
    async with database.tenant(first.tenant) as tx:
        (line,) = await audit.history(tx, subject="object-store")
    assert (line.actor, line.action, line.details and line.details["before"]["place"]) == (
        "ada",
        "store.adopt",
        (await paired(first, database, objects(first))).place,
    )


async def test_a_database_of_before_takes_the_first_store_that_is_used(database: Database, tmp_path: Path) -> None:
    settings = home(database, tmp_path)
    await objects(settings).for_tenant("local").put("results/1/clip.mp4", b"from before")
    before = await checked(settings)

    await joins(settings, database)

    assert (before.verdict, before.detail.partition(":")[0]) == (Verdict.OK, "none is known yet")
    assert (await checked(settings)).verdict is Verdict.OK


async def test_a_store_in_memory_belongs_to_nobody(database: Database, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, database_url=database.url, object_store="memory:")

    await joins(settings, database)
    await joins(settings, database)

    assert (await checked(settings)).verdict is Verdict.WARN


async def test_no_command_writes_to_or_reads_from_another_store(
    database: Database, first: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*words: str) -> Result:
        return CliRunner().invoke(planted(words), [*words, "--json"])

    monkeypatch.setenv("WINDROW_DATABASE_URL", database.url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "other"))
    asked = ("jobs", "submit", "clip", "--source", "object:film", "--start", "0", "--end", "1")
    job = json.loads((await asyncio.to_thread(run, *asked)).stdout)["job"]

    for words in (("export",), ("jobs", "download", job, str(tmp_path / "clip.mp4"))):
        ended = await asyncio.to_thread(run, *words)
        assert (ended.exit_code, str(first.home) in ended.stderr) == (5, True), ended.stderr
    assert not (tmp_path / "other").exists()


# one interpreter for all three: to start and load takes longer than to be refused
STARTS = """
import sys
from windrow.cli.tree import planted
for words in (["jobs", "work"], ["serve"], ["events"]):
    try:
        planted(words)(words)
    except SystemExit as left:
        print(left.code)
"""


async def test_no_process_that_would_split_the_objects_starts(
    database: Database, first: Settings, tmp_path: Path
) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
    environment = kept | {"WINDROW_HOME": str(tmp_path / "other"), "WINDROW_DATABASE_URL": database.url}

    ended = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STARTS, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    codes, told = await asyncio.wait_for(ended.communicate(), timeout=100)

    assert codes.split() == [b"5"] * 3, told.decode()
    assert told.decode().count(f"that one lay at file:{first.home}/objects on ") == 3
    assert not (tmp_path / "other" / "objects").exists()
