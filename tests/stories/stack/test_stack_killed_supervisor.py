"""kill -9 of the supervisor: its engines end with it, and the next start finds everything in order."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.integration.stack.homes import gone, postgres_in, processes_in, put, words

from windrow.contracts.errors import Conflict
from windrow.stack import Stack, discover
from windrow.stack.engine_user import engine_user
from windrow.stack.process import command
from windrow.stack.programs import postgres_install

SCRIPT = Path(__file__).with_name("stack_process.py")


@asynccontextmanager
async def supervisor(home: Path, *engines: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A stack in a process of its own, which does not outlive the test."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        SCRIPT,
        home,
        *(engines or ("postgres",)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        left = processes_in(home.parent)
        if process.returncode is None:
            process.kill()
        await process.wait()
        await gone(left)


async def ready(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """What it tells once its engines answer."""
    assert process.stdout is not None
    told: dict[str, Any] = json.loads(await process.stdout.readline())
    return told


async def test_its_engines_end_with_it_and_the_next_one_finds_the_data(home: Path, base: Path) -> None:
    async with supervisor(home, "postgres", "temporal") as first:
        told = await ready(first)
        written = put(told["database_url"])
        left = processes_in(base)
        first.kill()
        await first.wait()
        await gone(left)

    assert len(left) > 2
    assert discover(home) is None
    async with supervisor(home) as second:
        again = await ready(second)
        assert again["database_url"] == told["database_url"]
        assert written in words(again["database_url"])


async def test_the_next_one_may_start_at_once_while_the_engines_are_still_leaving(home: Path) -> None:
    async with AsyncExitStack() as started:
        written = set()
        for _ in range(3):
            process = await started.enter_async_context(supervisor(home))
            written.add(put((await ready(process))["database_url"]))
            process.kill()

    async with Stack(postgres_in(home)) as stack:
        assert written <= words(stack.database_url)


async def test_a_ctrl_c_is_for_the_supervisor_which_then_stops_its_engines_cleanly(home: Path, base: Path) -> None:
    async with supervisor(home) as process:
        await ready(process)
        os.killpg(process.pid, signal.SIGINT)
        await process.wait()
        assert processes_in(base) == set()

    assert (home / "logs" / "postgres.log").read_text().rstrip().endswith("database system is shut down")
    assert (home / "logs" / "postgres.log").read_text().count("received fast shutdown request") == 1


async def test_a_second_one_is_refused_with_the_process_of_the_first(home: Path) -> None:
    async with supervisor(home) as first:
        await ready(first)

        with pytest.raises(Conflict, match=rf"\(process {first.pid}\)"):
            await Stack(postgres_in(home)).start()

        found = discover(home)
        assert found is not None
        assert found.pid == first.pid


@pytest.mark.parametrize("seconds", [0.3, 0.6])
async def test_one_that_dies_while_it_makes_the_data_leaves_nothing_half_made(base: Path, seconds: float) -> None:
    home = base / "home"
    async with supervisor(home) as first:
        # not a wait for something: the moment of its death is the input of this test
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(first.wait(), seconds)

    async with Stack(postgres_in(home)) as stack:
        put(stack.database_url)

    assert not list(home.glob("postgres.making-*"))


async def test_a_server_that_nobody_watches_is_stopped_and_replaced(home: Path, base: Path) -> None:
    async with Stack(postgres_in(home)) as stack:
        written = put(stack.database_url)
    abandoned = await abandon(home)

    async with Stack(postgres_in(home)) as stack:
        assert abandoned.pid not in processes_in(base)
        assert written in words(stack.database_url)

    assert await abandoned.wait() == 0, "it was not asked politely"


async def abandon(home: Path) -> asyncio.subprocess.Process:
    """A server on the home's data and port that has no supervisor."""
    port = json.loads((home / "stack.json").read_text())["ports"]["postgres"]
    data = home / "postgres"
    argv = [str(postgres_install() / "bin" / "postgres"), "-D", str(data), f"--port={port}"]
    argv += ["--listen_addresses=127.0.0.1", "--unix_socket_directories="]
    line = command(argv, user=engine_user("windrow"), cwd=data, dying=signal.SIGINT)
    process = await asyncio.create_subprocess_exec(*line, stderr=subprocess.PIPE)
    assert process.stderr is not None
    await process.stderr.readuntil(b"ready to accept connections")
    return process
