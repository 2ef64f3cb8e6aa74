"""What a running stack offers, seen from outside and inside."""

import asyncio
import json
import os
import stat
import urllib.request
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.conftest import Said
from tests.integration.stack.homes import as_root, both_in, command_lines, postgres_in, processes_in, put, uid_of

from windrow.contracts.errors import Code, Conflict
from windrow.stack import Stack, State, discover, examine


def answer(stack: Stack, query: str) -> tuple[object, ...] | None:
    with psycopg.connect(stack.database_url) as connection:
        return connection.execute(query).fetchone()


def test_the_login_role_is_bound_by_row_security_and_owns_its_database(running: Stack) -> None:
    role = answer(
        running, "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    )
    owner = answer(running, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")

    assert role == (False, False, True, True)
    assert owner == ("windrow",)


def test_the_data_is_checksummed_and_speaks_utf8_with_the_same_order_on_every_machine(running: Stack) -> None:
    found = answer(
        running,
        "SELECT current_setting('data_checksums'), current_setting('server_encoding'), datlocprovider, datlocale"
        " FROM pg_database WHERE datname = current_database()",
    )

    assert found == ("on", "UTF8", "b", "C.UTF-8")


@pytest.mark.parametrize("user", ["windrow", "postgres"])
def test_nobody_gets_in_without_the_password_not_even_a_superuser(running: Stack, user: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(running.database_url, user=user, password="guess")


def test_both_engines_tell_how_they_are(running: Stack) -> None:
    health = {each.engine: each for each in running.health}

    assert {name: each.state for name, each in health.items()} == dict.fromkeys(("postgres", "temporal"), State.HEALTHY)
    assert (health["postgres"].version or "").startswith("18.")
    assert (health["temporal"].version or "").startswith("1.")


@as_root
def test_as_root_the_engines_run_as_a_user_of_their_own(running: Stack) -> None:
    assert 0 not in {uid_of(each.pid) for each in running.health}


def test_temporals_own_pages_are_served(running: Stack) -> None:
    assert running.temporal_ui_url is not None
    with urllib.request.urlopen(running.temporal_ui_url) as page:
        assert page.status == 200


async def test_a_client_of_temporal_finds_the_namespace(running: Stack) -> None:
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
    from temporalio.client import Client

    client = await Client.connect(running.temporal_address)
    found = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="meta"))

    assert found.namespace_info.name == "meta"


def test_it_is_found_with_its_addresses(running: Stack) -> None:
    found = discover(running.config.home)

    assert found is not None
    assert found.ready
    assert found.pid == os.getpid()
    assert found.database_url == running.database_url
    assert found.temporal_address == running.temporal_address
    assert found.temporal_ui_url == running.temporal_ui_url


async def test_a_second_supervisor_is_refused_and_told_who_was_first(running: Stack) -> None:
    with pytest.raises(Conflict, match=rf"already running in .* \(process {os.getpid()}\)") as refused:
        await Stack(running.config).start()

    assert refused.value.code is Code.ALREADY_RUNNING
    assert refused.value.hint
    put(running.database_url)


async def test_a_doctor_sees_both_engines_from_outside(running: Stack) -> None:
    seen = await examine(running.config)

    assert [(each.engine, each.state, each.external) for each in seen] == [
        ("postgres", State.HEALTHY, False),
        ("temporal", State.HEALTHY, False),
    ]
    assert all(each.version for each in seen)


def test_what_it_wrote_into_its_home_is_for_its_owner_only(running: Stack) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in running.config.home.iterdir()}

    assert modes == {
        "stack.lock": 0o600,
        "stack.json": 0o600,
        "postgres.password": 0o600,
        "postgres": 0o700,
        "temporal": 0o700,
        "logs": 0o700,
    }


@pytest.mark.req("LT-3", "HV-40")
def test_the_password_is_in_one_private_file_and_nowhere_else(running: Stack, said: Said) -> None:
    password = str(conninfo_to_dict(running.database_url)["password"])
    with pytest.raises(psycopg.Error):
        answer(running, f"SELECT wrong FROM nothing WHERE secret = '{password}'")

    home = running.config.home
    assert [path for path in home.rglob("*") if holds(path, password)] == [home / "postgres.password"]
    assert password.encode() not in command_lines()
    assert password not in repr(running.config) + repr(discover(home))
    assert password not in json.dumps(said.raw)


def holds(path: Path, text: str) -> bool:
    with suppress(FileNotFoundError):  # the engines are at work, and a file of theirs may go while we look
        return path.is_file() and text.encode() in path.read_bytes()
    return False


def test_what_clients_send_stays_out_of_the_engines_log(running: Stack) -> None:
    secret = "a-customers-own-words"
    with pytest.raises(psycopg.errors.CheckViolation), psycopg.connect(running.database_url) as connection:
        connection.execute("CREATE TABLE odd (value text CHECK (value = ''))")
        connection.execute(f"INSERT INTO odd VALUES ('{secret}')")

    logged = (running.config.home / "logs" / "postgres.log").read_text()
    assert "violates check constraint" in logged
    assert secret not in logged


async def test_a_clean_stop_leaves_no_process(home: Path, base: Path) -> None:
    async with Stack(both_in(home)):
        started = processes_in(base)

    assert len(started) > 2
    assert processes_in(base) == set()
    assert discover(home) is None


async def test_a_stopped_stack_can_be_started_again(home: Path) -> None:
    stack = Stack(postgres_in(home))
    for _ in range(2):
        put((await stack.start()).database_url)
        await stack.stop()


async def test_watching_ends_when_the_stack_is_stopped(home: Path) -> None:
    async with Stack(postgres_in(home)) as stack:
        watching = asyncio.create_task(stack.watch())
        await asyncio.sleep(0)

    await watching
