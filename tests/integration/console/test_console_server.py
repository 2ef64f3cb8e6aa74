"""The server inside our process: where it listens, and how it ends."""

import asyncio
import signal
import socket
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.integration.console.house import HASTE, House, house, path_of

from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.postgres import Database
from windrow.web.limits import ServerLimits
from windrow.web.server import bind, check_loopback, door_of

BEFORE = signal.getsignal(signal.SIGTERM)


def test_a_port_that_is_taken_is_told_as_such() -> None:
    with bind("127.0.0.1", 0) as first, pytest.raises(Fatal) as refused:
        bind("127.0.0.1", first.getsockname()[1])

    assert refused.value.code is Code.PORT_TAKEN
    assert "WINDROW_HTTP_PORT" in (refused.value.hint or "")


def test_an_address_that_is_not_ours_is_told_as_such() -> None:
    with pytest.raises(WindrowError, match="cannot listen at"):
        bind("203.0.113.1", 0)


def test_an_address_of_the_sixth_version_is_written_in_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with bind("::1", 0) as listening:
        assert door_of(listening).startswith("[::1]:")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.com", "", "127.0.0.1.evil.example"])
def test_only_this_machine_is_listened_to(host: str) -> None:
    with pytest.raises(Fatal, match="not an address of this machine alone"):
        check_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_every_name_of_this_machine_will_do(host: str) -> None:
    check_loopback(host)


async def test_signals_stay_those_of_the_process(open_house: House) -> None:
    await open_house.client.get("/health")

    assert signal.getsignal(signal.SIGTERM) == BEFORE


async def test_an_upload_in_hand_is_finished_before_the_end(database: Database, tmp_path: Path, said: Said) -> None:
    async with house(database, tmp_path, ServerLimits(shutdown_seconds=60)) as opened:
        ticket = await opened.request()
        begun, may_end = asyncio.Event(), asyncio.Event()
        upload = asyncio.create_task(slow_put(opened, ticket, begun, may_end))
        await begun.wait()
        asyncio.get_running_loop().call_later(0.3, may_end.set)

    assert await upload == 200
    assert (await opened.blobs.find("acme", ticket["blob_id"])).state == "linked"
    assert said.events("server.stopped")[0]["cut"] == 0


async def test_what_is_not_finished_in_time_is_cut_and_leaves_nothing(
    database: Database, tmp_path: Path, said: Said
) -> None:
    async with house(database, tmp_path, ServerLimits(shutdown_seconds=0.3)) as opened:
        ticket = await opened.request()
        begun = asyncio.Event()
        upload = asyncio.create_task(slow_put(opened, ticket, begun, asyncio.Event()))
        await begun.wait()

    assert await upload == 0
    assert opened.drafts() == []
    assert (await opened.blobs.find("acme", ticket["blob_id"])).state == "requested"
    assert said.events("server.stopped")[0]["cut"] == 1


async def test_nobody_is_shut_out_by_connections_that_ask_for_nothing(database: Database, tmp_path: Path) -> None:
    async with (
        house(database, tmp_path, ServerLimits(connections=3, shutdown_seconds=1)) as opened,
        opened.wire() as (silent, _),
        opened.wire() as (satisfied, asked),
        opened.wire() as (slow, hesitant),
        AsyncExitStack() as later,
    ):
        asked.write(opened.head("GET", "/health"))
        assert b"200 OK" in await satisfied.readline()
        hesitant.write(b"GET /hea")
        for gone in (silent, slow, satisfied):  # who has been quiet for the longest first
            reader, writer = await later.enter_async_context(opened.wire())
            writer.write(opened.head("GET", "/health"))
            assert b"200 OK" in await reader.readline()
            await asyncio.wait_for(gone.read(), 60)


async def test_who_is_being_served_does_not_give_way(database: Database, tmp_path: Path) -> None:
    async with house(database, tmp_path, ServerLimits(connections=2, shutdown_seconds=5)) as opened:
        ticket = await opened.request()
        begun, may_end = asyncio.Event(), asyncio.Event()
        upload = asyncio.create_task(slow_put(opened, ticket, begun, may_end))
        await begun.wait()
        async with opened.wire(), opened.wire():  # in the stead of one another
            may_end.set()
            assert await upload == 200


async def test_a_connection_that_says_nothing_more_is_closed(database: Database, tmp_path: Path) -> None:
    async with house(database, tmp_path, HASTE) as opened, opened.wire() as (reader, writer):
        writer.write(opened.head("GET", "/health"))

        assert (await asyncio.wait_for(reader.read(), 60)).endswith(b'{"status":"ok"}')


async def slow_put(opened: House, ticket: dict[str, object], begun: asyncio.Event, may_end: asyncio.Event) -> int:
    """An upload of which the last byte waits; its status, 0 when it was cut."""
    url = ticket["upload"]["url"]  # type: ignore[index]
    async with opened.wire() as (reader, writer):
        writer.write(opened.head("PUT", path_of(url), "Content-Length: 600001") + b"x" * 600_000)
        await writer.drain()
        while not opened.drafts():
            await opened.client.get("/health")
        begun.set()
        waiting = asyncio.create_task(may_end.wait())
        answered = asyncio.create_task(reader.readline())
        await asyncio.wait({waiting, answered}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if may_end.is_set():
            writer.write(b"x")
        try:
            line = await answered
        except ConnectionResetError:
            line = b""
        return int(line.split()[1]) if line else 0
