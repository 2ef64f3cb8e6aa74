"""From one start to the next."""

import asyncio
import shutil
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.integration.stack.homes import both_in, gone, postgres_in, processes_in, put, temporal_in, words

from windrow.contracts.errors import Fatal
from windrow.stack import (
    UNSAFE_BUT_FAST,
    EmbeddedPostgres,
    EmbeddedTemporal,
    ExternalPostgres,
    ExternalTemporal,
    Stack,
    StackConfig,
    discover,
)
from windrow.stack.record import remembered


async def test_data_and_ports_are_the_same_after_a_restart(home: Path) -> None:
    async with Stack(postgres_in(home)) as first:
        written = put(first.database_url)
        before = first.database_url

    async with Stack(postgres_in(home)) as second:
        assert second.database_url == before
        assert written in words(second.database_url)


async def test_a_remembered_port_that_somebody_took_is_replaced(home: Path) -> None:
    async with Stack(postgres_in(home)) as first:
        before = first.database_url
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", conninfo_to_dict(before)["port"])

    async with taken, Stack(postgres_in(home)) as second:
        assert second.database_url != before
        put(second.database_url)


async def test_an_engine_that_is_left_out_keeps_its_ports_for_another_time(home: Path) -> None:
    async with Stack(both_in(home)):
        before = remembered(home)
    async with Stack(postgres_in(home)):
        after, found = remembered(home), discover(home)

    assert before is not None
    assert after is not None
    assert found is not None
    assert after.ports == before.ports
    assert found.temporal_address is None


async def test_a_namespace_that_is_added_later_is_made(base: Path) -> None:
    for namespaces in (("one",), ("one", "two")):
        # ready means that every namespace can be described
        async with Stack(temporal_in(base / "home", EmbeddedTemporal(namespaces=namespaces))) as stack:
            assert stack.health[0].healthy


async def test_external_servers_are_used_as_given_and_nothing_starts(base: Path) -> None:
    config = StackConfig(base / "home", ExternalPostgres("postgresql://db/x"), ExternalTemporal("temporal:7233"))
    async with Stack(config) as stack:
        assert stack.database_url == "postgresql://db/x"
        assert stack.temporal_address == "temporal:7233"
        assert stack.health == ()

    assert not (base / "home").exists()


async def test_the_address_of_an_engine_that_does_not_run_is_refused_with_the_next_step(base: Path) -> None:
    with pytest.raises(Fatal, match="PostgreSQL is not running") as refused:
        Stack(postgres_in(base / "home")).database_url  # noqa: B018 - asked for its error

    assert "windrow up" in (refused.value.hint or "")


async def test_the_callers_environment_does_not_reach_the_engines(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGDATA": "/nowhere", "PGPORT": "1", "PGUSER": "x", "LC_ALL": "zz", "TZ": "zz"}.items():
        monkeypatch.setenv(name, value)

    async with Stack(postgres_in(home)) as stack:
        put(stack.database_url)


async def test_a_lost_password_is_replaced_by_a_new_one(spare_home: Path) -> None:
    password = spare_home / "postgres.password"
    before = password.read_text()
    password.unlink()

    async with Stack(postgres_in(spare_home)) as stack:
        put(stack.database_url)

    assert password.read_text() != before


async def test_settings_reach_the_server(home: Path) -> None:
    settings = {**UNSAFE_BUT_FAST, "max_connections": "42"}
    async with Stack(postgres_in(home, EmbeddedPostgres(settings=settings))) as stack:
        with psycopg.connect(stack.database_url) as connection:
            assert connection.execute("SHOW max_connections").fetchone() == ("42",)
            assert connection.execute("SHOW fsync").fetchone() == ("off",)


async def test_a_large_log_is_put_aside_at_the_next_start(home: Path) -> None:
    (home / "logs").mkdir()
    (home / "logs" / "postgres.log").write_bytes(b"x" * (9 * 1024 * 1024))

    async with Stack(postgres_in(home)):
        pass

    assert (home / "logs" / "postgres.log.1").stat().st_size == 9 * 1024 * 1024
    assert "ready to accept connections" in (home / "logs" / "postgres.log").read_text()


async def test_a_log_that_was_taken_away_is_begun_anew(home: Path) -> None:
    async with Stack(postgres_in(home)):
        shutil.rmtree(home / "logs")

    async with Stack(postgres_in(home)):
        assert (home / "logs" / "postgres.log").exists()


async def test_a_start_that_is_cancelled_leaves_nothing_behind(base: Path) -> None:
    starting = asyncio.create_task(Stack(both_in(base / "home")).start())
    while not (starting.done() or processes_in(base)):  # until its data is being made
        await asyncio.wait([starting], timeout=0.005)

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    await gone(processes_in(base))  # what was killed may take a moment to end
    assert discover(base / "home") is None
    assert not list((base / "home").glob("postgres*"))
