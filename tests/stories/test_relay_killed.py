"""A relay is killed with -9 where it hurts most: the receiver sees the same message again, and nothing is lost.

Run as a program, this file is that relay: `python -m tests.stories.test_relay_killed DATABASE_URL RECEIVER MODE`.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from tests.fakes.web import Exchange, Web, answer

from windrow.http import HttpClient, HttpPolicy
from windrow.messages import Relay, Subscription, Webhook, publish, subscribe
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

TENANT = "acme"
# in seconds: what takes longer hangs
PATIENCE = 100


async def relay(database_url: str, receiver: str, mode: str) -> None:
    """The program: deliver to the receiver, for ever or until nothing is due."""
    wakeups = Wakeups(database_url)
    allow = receiver.removeprefix("http://").partition("/")[0]
    async with (
        Database(database_url, size=4) as database,
        HttpClient(HttpPolicy(source=mode, allow=(allow,))) as client,
    ):
        work = Relay(database, {"receiver": Webhook(client, receiver)}, wakeups, name=mode)
        if mode == "drain":
            while await work.run_once():
                pass
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(wakeups.run())
            group.create_task(work.run())


async def start(database_url: str, receiver: str, mode: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.stories.test_relay_killed", database_url, receiver, mode
    )


@asynccontextmanager
async def doomed(database: Database, receiver: str) -> AsyncIterator[None]:
    """A relay that runs while the body looks on, and is killed at its end."""
    process = await start(database.url, receiver, "for ever")
    try:
        async with asyncio.timeout(PATIENCE):
            yield
        assert process.returncode is None, "it ended by itself"
    finally:
        process.send_signal(signal.SIGKILL)
        await process.wait()


async def the_next_one_finishes(database: Database, web: Web) -> None:
    """The dead relay's claims run out, and another process takes over."""
    async with database.tenant(TENANT) as tx:
        await tx.connection.execute("UPDATE strands SET due_at = now() - interval '1 second'")
    process = await start(database.url, web.url("/hook"), "drain")
    async with asyncio.timeout(PATIENCE):
        assert await process.wait() == 0
    async with database.tenant(TENANT) as tx:
        cursor = await tx.connection.execute("SELECT count(*) AS strands FROM strands")
        assert await cursor.fetchone() == {"strands": 0}


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as server:
        yield server


@pytest.fixture
async def published(database: Database) -> list[str]:
    """Two messages of one key and one of another, and who wants them."""
    async with database.tenant(TENANT) as tx:
        await subscribe(tx, Subscription(name="hook", topic="jobs", sink="receiver"))
        return [str(await publish(tx, "jobs", n, key=key)) for n, key in ((1, "a"), (2, "a"), (3, "b"))]


def seen(web: Web, *bodies: bytes) -> list[tuple[bytes, str]]:
    return [(one.body, one.headers["windrow-message-id"]) for one in web.requests if one.body in bodies]


async def test_killed_between_the_claim_and_the_delivery_nothing_is_lost(
    database: Database, web: Web, published: list[str]
) -> None:
    """The receiver takes the call and never reads it."""
    called = asyncio.Event()
    callers: list[asyncio.StreamWriter] = []

    def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        callers.append(writer)
        called.set()

    silent = await asyncio.start_server(take, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    async with doomed(database, f"http://127.0.0.1:{port}/hook"):
        await called.wait()
    silent.close()
    for caller in callers:
        caller.transport.abort()
    await silent.wait_closed()

    web.on("/hook", answer(200))
    await the_next_one_finishes(database, web)

    assert seen(web, b"1", b"2") == [(b"1", published[0]), (b"2", published[1])]
    assert seen(web, b"3") == [(b"3", published[2])]


async def test_killed_between_the_delivery_and_its_answer_the_message_comes_again_with_its_id(
    database: Database, web: Web, published: list[str]
) -> None:
    arrived = asyncio.Event()

    async def arrive_and_say_nothing(exchange: Exchange) -> None:
        if exchange.request.body == b"1":
            arrived.set()
            await asyncio.Event().wait()
        await exchange.send(answer(200))

    web.on("/hook", arrive_and_say_nothing)
    async with doomed(database, web.url("/hook")):
        await arrived.wait()

    web.on("/hook", answer(200))
    await the_next_one_finishes(database, web)

    assert seen(web, b"1", b"2") == [(b"1", published[0]), (b"1", published[0]), (b"2", published[1])]
    assert set(seen(web, b"3")) == {(b"3", published[2])}


async def test_killed_while_it_marks_the_delivery_the_message_comes_again_with_its_id(
    database: Database, web: Web, published: list[str]
) -> None:
    arrived, may_answer = asyncio.Event(), asyncio.Event()

    async def answer_when_told(exchange: Exchange) -> None:
        if exchange.request.body == b"1":
            arrived.set()
            await may_answer.wait()
        await exchange.send(answer(200))

    web.on("/hook", answer_when_told)
    async with database.tenant(TENANT) as tx, doomed(database, web.url("/hook")):
        await arrived.wait()
        await tx.connection.execute("SELECT FROM strands WHERE key = 'a' FOR UPDATE")
        may_answer.set()
        await somebody_waits_for_a_row(database)

    await the_next_one_finishes(database, web)

    assert seen(web, b"1", b"2") == [(b"1", published[0]), (b"1", published[0]), (b"2", published[1])]
    assert set(seen(web, b"3")) == {(b"3", published[2])}


async def somebody_waits_for_a_row(database: Database) -> None:
    """The relay has its answer, and its update waits for a lock that is ours."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as onlooker:
        while await (await onlooker.execute(waiting)).fetchone() != (1,):
            await onlooker.execute("SELECT pg_sleep(0.02)")


if __name__ == "__main__":
    asyncio.run(relay(*sys.argv[1:]))
