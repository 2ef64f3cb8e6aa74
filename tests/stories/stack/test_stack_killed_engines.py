"""kill -9 of an engine: it is back at once, on the same port, with its data."""

import asyncio
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from tests.conftest import Said
from tests.integration.stack.homes import (
    IMPATIENT,
    as_root,
    both_in,
    gone,
    postgres_in,
    processes_in,
    put,
    temporal_in,
    words,
)

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.retry import RetryPolicy
from windrow.stack import Care, EmbeddedTemporal, Stack, State
from windrow.stack.engine_user import engine_user
from windrow.stack.process import command

SLOW = Care(restarts=RetryPolicy(timedelta(hours=1), timedelta(hours=1), attempts=2))


def kill(stack: Stack, engine: str) -> None:
    pid = next(each.pid for each in stack.health if each.engine == engine)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


async def test_postgres_is_back_with_its_data_after_a_kill(home: Path, said: Said) -> None:
    async with Stack(postgres_in(home)) as stack:
        before = stack.database_url
        written = put(stack.database_url)

        kill(stack, "postgres")
        health = await stack.until_healthy("postgres", restarts=1)

        assert health.restarts == 1
        assert stack.database_url == before
        assert written in words(stack.database_url)

    assert [line["reason"] for line in said.events("engine.restarted")] == ["postgres was killed by SIGKILL"]


async def test_a_query_that_outlives_its_server_does_not_keep_the_next_one_from_starting(
    home: Path, base: Path
) -> None:
    async with Stack(postgres_in(home)) as stack:
        connection = await psycopg.AsyncConnection.connect(stack.database_url, autocommit=True)
        busy = asyncio.create_task(connection.execute("SELECT count(*) FROM generate_series(1, 10000000000)"))
        await running(stack.database_url)
        orphans = processes_in(base)

        kill(stack, "postgres")
        await stack.until_healthy("postgres", restarts=1)

        with pytest.raises(psycopg.OperationalError):
            await busy
        assert not orphans & processes_in(base)
        put(stack.database_url)


async def running(url: str) -> None:
    """Return when a session of somebody else executes a query."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        found: tuple[int] | None = (0,)
        while found == (0,):
            cursor = await connection.execute(
                "SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            )
            found = await cursor.fetchone()


async def test_temporal_is_back_with_its_data_after_a_kill(base: Path) -> None:
    async with Stack(temporal_in(base / "home", EmbeddedTemporal(namespaces=("meta",)))) as stack:
        before = stack.temporal_address
        await start_workflow(stack, "kept")

        kill(stack, "temporal")
        await stack.until_healthy("temporal", restarts=1)

        assert stack.temporal_address == before
        assert await started(stack, "kept")


async def start_workflow(stack: Stack, name: str) -> None:
    from temporalio.client import Client

    client = await Client.connect(stack.temporal_address, namespace="meta")
    await client.start_workflow("nobody-runs-it", id=name, task_queue="idle")


async def started(stack: Stack, name: str) -> bool:
    from temporalio.client import Client

    client = await Client.connect(stack.temporal_address, namespace="meta")
    return (await client.get_workflow_handle(name).describe()).id == name


async def test_the_other_engine_runs_on_when_one_is_killed(home: Path) -> None:
    async with Stack(both_in(home)) as stack:
        kill(stack, "postgres")
        await stack.until_healthy("postgres", restarts=1)

        assert {each.engine: each.restarts for each in stack.health} == {"postgres": 1, "temporal": 0}


async def test_an_engine_that_keeps_dying_is_given_up_and_told(home: Path, said: Said) -> None:
    async with Stack(replace(postgres_in(home), care=IMPATIENT)) as stack:
        watching = asyncio.create_task(stack.watch())
        kill(stack, "postgres")
        await stack.until_healthy("postgres", restarts=1)
        kill(stack, "postgres")

        with pytest.raises(Fatal, match="postgres was killed by SIGKILL") as given_up:
            await watching
        assert [each.state for each in stack.health] == [State.FAILED]
        with pytest.raises(Fatal):
            await stack.until_healthy("postgres", restarts=2)

    assert given_up.value.code is Code.ENGINE_FAILED
    assert [line["failures"] for line in said.events("engine.given_up")] == [2]


async def test_an_engine_that_cannot_be_started_again_is_given_up_with_the_reason(home: Path) -> None:
    async with Stack(replace(postgres_in(home), care=IMPATIENT)) as stack:
        (home / "postgres" / "PG_VERSION").write_text("17\n")
        kill(stack, "postgres")

        with pytest.raises(Fatal, match="was written by PostgreSQL 17"):
            await stack.watch()

    (home / "postgres" / "PG_VERSION").write_text("18\n")


async def test_a_stack_can_be_stopped_while_an_engine_waits_to_be_started_again(home: Path, base: Path) -> None:
    async with Stack(replace(postgres_in(home), care=SLOW)) as stack:
        watching = asyncio.create_task(stack.watch())
        pids = processes_in(base)
        kill(stack, "postgres")
        await gone(pids)

    await watching
    assert processes_in(base) == set()


@as_root
async def test_a_pid_file_that_names_somebody_elses_process_does_not_keep_postgres_from_starting(home: Path) -> None:
    async with Stack(postgres_in(home)) as stack:
        kill(stack, "postgres")
        await stack.until_healthy("postgres", restarts=1)
        left = (home / "postgres" / "postmaster.pid").read_text().split("\n", 1)
    bystander = await asyncio.create_subprocess_exec(
        *command(["/bin/sleep", "60"], user=engine_user("windrow"), cwd=Path("/"), dying=signal.SIGTERM)
    )
    (home / "postgres" / "postmaster.pid").write_text(f"{bystander.pid}\n{left[1]}")

    async with Stack(postgres_in(home)) as stack:
        put(stack.database_url)

    assert bystander.returncode is None
    bystander.kill()
    await bystander.wait()


async def test_an_engine_that_no_longer_answers_is_told_and_so_is_its_recovery(base: Path, said: Said) -> None:
    often = Care(check_every=timedelta(milliseconds=50), check_timeout=timedelta(milliseconds=500))
    async with Stack(replace(temporal_in(base / "home"), care=often)) as stack:
        pid = stack.health[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await stack.until("temporal", lambda now: now.state is State.UNHEALTHY)

        os.kill(pid, signal.SIGCONT)
        await stack.until_healthy("temporal")

    told = [line["event"] for line in said.lines if line["event"] in ("engine.sickened", "engine.recovered")]
    # on a busy machine it may not answer in time by itself, too
    assert told == ["engine.sickened", "engine.recovered"] * (len(told) // 2)
    assert told
