"""How other commands find a stack, or find that there is none."""

import asyncio
import json
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.integration.stack.homes import both_in, postgres_in, put, words

from windrow.stack import ExternalPostgres, ExternalTemporal, Stack, StackConfig, State, discover, examine
from windrow.stack.record import HomeLock


async def test_a_home_that_nobody_runs_is_not_found(base: Path) -> None:
    assert discover(base / "home") is None
    assert not (base / "home").exists()


async def test_a_stack_that_is_still_starting_is_found_without_addresses(home: Path) -> None:
    async with Stack(postgres_in(home)):
        pass

    lock = await HomeLock.acquire(home)
    try:
        found = discover(home)
    finally:
        lock.release()

    assert found is not None
    assert not found.ready
    assert found.database_url is None


async def test_looking_for_a_stack_never_keeps_one_from_starting(base: Path) -> None:
    looking = True

    def look() -> None:
        while looking:
            discover(base)

    looker = asyncio.create_task(asyncio.to_thread(look))
    try:
        for _ in range(20):
            (await HomeLock.acquire(base)).release()
    finally:
        looking = False
        await looker


@pytest.mark.parametrize(
    "record",
    ["", "{", "[]", '{"run": 1}', '{"run": "x", "ready": true, "engines": [], "ports": {"postgres": 99999}}'],
)
async def test_a_damaged_record_is_as_good_as_none(home: Path, record: str) -> None:
    (home / "stack.json").write_text(record)

    async with Stack(postgres_in(home)) as stack:
        put(stack.database_url)

    assert json.loads((home / "stack.json").read_text())["engines"] == ["postgres"]


async def test_two_stacks_in_two_homes_do_not_disturb_each_other(home: Path, running: Stack) -> None:
    async with Stack(both_in(home)) as other:
        here, there = put(running.database_url), put(other.database_url)
        assert there not in words(running.database_url)
        assert here not in words(other.database_url)
        assert running.temporal_address != other.temporal_address

    assert here in words(running.database_url)
    assert [each.state for each in running.health] == [State.HEALTHY, State.HEALTHY]


async def test_a_doctor_sees_that_a_stack_does_not_run(base: Path) -> None:
    seen = await examine(both_in(base / "home"))

    assert [each.state for each in seen] == [State.STOPPED, State.STOPPED]


async def test_a_doctor_asks_external_servers_themselves(running: Stack, base: Path) -> None:
    external = StackConfig(
        base / "other", ExternalPostgres(running.database_url), ExternalTemporal(running.temporal_address)
    )

    seen = await examine(external)

    assert [(each.engine, each.state, each.external) for each in seen] == [
        ("postgres", State.HEALTHY, True),
        ("temporal", State.HEALTHY, True),
    ]


async def test_a_doctor_tells_of_external_servers_that_do_not_answer_and_keeps_their_secrets(base: Path) -> None:
    url = "postgresql://me:hush-hush@127.0.0.1:1/db"

    seen = await examine(StackConfig(base / "home", ExternalPostgres(url), ExternalTemporal("127.0.0.1:1")))

    assert [each.state for each in seen] == [State.UNHEALTHY, State.UNHEALTHY]
    assert all(each.detail for each in seen)
    assert "hush-hush" not in repr(seen)


async def test_a_doctor_is_not_kept_waiting_by_an_address_that_makes_no_sense(running: Stack, base: Path) -> None:
    port = conninfo_to_dict(running.database_url)["port"]

    seen = await examine(StackConfig(base / "home", None, ExternalTemporal(f"nonsense:{port}:what")))

    assert [each.state for each in seen] == [State.UNHEALTHY]
