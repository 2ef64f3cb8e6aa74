"""The relay as a process runs it: woken, several at a time, fair, and gone cleanly."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import pytest
from tests.conftest import Said, Spans
from tests.integration.messages.post import TENANT, Post, Recorder

from windrow.contracts.errors import Conflict, RetryableTransient
from windrow.messages import Delivery, Draft, Relay, RelayLimits, Subscription, subscribe
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

NEVER_POLLS = RelayLimits(poll=timedelta(hours=1))


class Slow:
    """A sink that takes its time: it tells when it began, and ends when told to."""

    def __init__(self) -> None:
        self.began: asyncio.Queue[Delivery] = asyncio.Queue()
        self.may_end = asyncio.Event()
        self.ended: list[Delivery] = []

    async def deliver(self, delivery: Delivery) -> None:
        self.began.put_nowait(delivery)
        await self.may_end.wait()
        self.ended.append(delivery)


@asynccontextmanager
async def running(relay: Relay, wakeups: Wakeups | None = None) -> AsyncIterator[asyncio.Task[None]]:
    """The relay as a task, which is cancelled at the end."""
    listening = asyncio.create_task(wakeups.run()) if wakeups else None
    if wakeups:
        await wakeups.listening.wait()
    task = asyncio.create_task(relay.run())
    try:
        yield task
    finally:
        for one in (task, listening):
            if one:
                one.cancel()
        await asyncio.gather(*filter(None, (task, listening)), return_exceptions=True)


async def test_a_running_relay_is_woken_by_the_commit_of_a_publisher(database: Database, post: Post) -> None:
    await post.subscribe()
    sink, wakeups = Slow(), Wakeups(database.url)
    sink.may_end.set()
    relay = Relay(database, {"recorder": sink}, wakeups, limits=NEVER_POLLS)

    async with running(relay, wakeups), asyncio.timeout(60):
        for n in range(3):
            await post.publish(n, key="k")
            assert (await sink.began.get()).message.payload == n


async def test_a_key_with_many_messages_flows_without_waiting_for_the_poll(database: Database, post: Post) -> None:
    await post.subscribe()
    sink, wakeups = Slow(), Wakeups(database.url)
    sink.may_end.set()
    await post.publish(*range(20), key="k")

    async with running(Relay(database, {"recorder": sink}, wakeups, limits=NEVER_POLLS), wakeups), asyncio.timeout(60):
        assert [(await sink.began.get()).message.payload for _ in range(20)] == list(range(20))


async def test_without_a_wake_up_the_poll_finds_it(database: Database, post: Post) -> None:
    await post.subscribe()
    sink = Slow()
    sink.may_end.set()
    relay = Relay(
        database, {"recorder": sink}, Wakeups(database.url), limits=RelayLimits(poll=timedelta(milliseconds=20))
    )

    async with running(relay), asyncio.timeout(60):
        await post.publish("m")
        await sink.began.get()


async def test_no_more_deliveries_are_under_way_than_the_limit(database: Database, post: Post) -> None:
    await post.subscribe()
    await post.publish(*range(5))
    sink, wakeups = Slow(), Wakeups(database.url)
    relay = Relay(
        database, {"recorder": sink}, wakeups, limits=RelayLimits(concurrency=2, poll=timedelta(seconds=0.02))
    )

    async with running(relay, wakeups), asyncio.timeout(60):
        for _ in range(2):
            await sink.began.get()
        assert await post.ask("SELECT count(*) FROM strands WHERE claim IS NOT NULL") == 2
        sink.may_end.set()
        for _ in range(3):
            await sink.began.get()


async def test_a_relay_that_is_stopped_lets_its_deliveries_finish(database: Database, post: Post) -> None:
    await post.subscribe()
    await post.publish("m")
    sink = Slow()
    relay = Relay(database, {"recorder": sink}, Wakeups(database.url))

    async with running(relay) as task, asyncio.timeout(60):
        await sink.began.get()
        task.cancel()
        sink.may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert len(sink.ended) == 1
    await post.drain()
    assert post.sink.payloads == []


async def test_what_does_not_finish_in_the_grace_is_given_back_untried(database: Database, post: Post) -> None:
    await post.subscribe()
    await post.publish("m")
    sink = Slow()
    relay = Relay(
        database, {"recorder": sink}, Wakeups(database.url), limits=RelayLimits(grace=timedelta(seconds=0.05))
    )

    async with running(relay) as task, asyncio.timeout(60):
        await sink.began.get()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    await post.relay.run_once()
    assert [delivery.attempt for delivery in post.sink.deliveries] == [1]


async def test_a_sink_that_never_answers_is_a_failure_before_the_claim_runs_out(
    database: Database, post: Post, said: Said
) -> None:
    await post.subscribe(ack_deadline=timedelta(seconds=0.25))
    await post.publish("m")
    relay = Relay(database, {"recorder": Slow()}, Wakeups(database.url))

    async with asyncio.timeout(60):
        await relay.run_once()

    (line,) = said.events("message.retried")
    assert (line["code"], line["reason"]) == ("TIMEOUT", "no answer within 0.2 s")


async def test_a_sink_that_cancels_itself_is_a_failure_like_any_other(post: Post, said: Said) -> None:
    await post.subscribe()
    post.sink.fail = lambda _: asyncio.CancelledError()
    await post.publish("m")

    await post.drain()

    assert len(post.sink.deliveries) == 1
    assert said.events("message.retried")[0]["retry_in_seconds"] == 10


async def test_a_tenant_with_a_flood_does_not_keep_another_waiting(post: Post) -> None:
    await post.subscribe()
    await post.subscribe(tenant="small")
    await post.publish_many([Draft(payload=n) for n in range(3000)])
    await post.publish("mine", tenant="small")
    relay = post.another_relay("relay", post.sink, route_batch=50, concurrency=4)

    await relay.run_once()

    assert [one.message.payload for one in post.sink.deliveries if one.message.tenant_id == "small"] == ["mine"]


async def test_with_more_subscriptions_than_room_everyone_has_a_turn(post: Post) -> None:
    tenants = [f"tenant-{n}" for n in range(5)]
    for tenant in tenants:
        await post.subscribe(tenant=tenant)
        await post.publish(1, 2, 3, tenant=tenant)
    relay = post.another_relay("relay", post.sink, concurrency=2)

    for _ in range(3):
        await relay.run_once()

    assert {delivery.message.tenant_id for delivery in post.sink.deliveries} == set(tenants)


async def test_two_relays_at_once_deliver_everything_once(database: Database, post: Post) -> None:
    await post.subscribe()
    await post.publish_many([Draft(payload=n, key=f"key-{n % 7}") for n in range(70)])
    sinks = [Recorder(), Recorder()]
    relays = [post.another_relay(f"relay-{n}", sink, concurrency=3) for n, sink in enumerate(sinks)]

    while await post.ask("SELECT count(*) FROM topic_log WHERE position IS NULL") or await post.ask(
        "SELECT count(*) FROM strands"
    ):
        await asyncio.gather(*(relay.run_once() for relay in relays))

    assert sorted(sinks[0].payloads + sinks[1].payloads) == list(range(70))
    assert all(sink.payloads for sink in sinks)


async def test_a_sink_that_nobody_serves_here_keeps_its_messages(post: Post) -> None:
    async with post.database.tenant(TENANT) as tx:
        await subscribe(tx, Subscription(name="elsewhere", topic="topic", sink="pubsub"))
    await post.publish("m")

    await post.drain()

    assert post.sink.payloads == []
    assert await post.ask("SELECT count(*) FROM strands") == 1


async def test_a_database_that_is_away_delays_the_relay_and_does_not_end_it(
    database: Database, post: Post, said: Said
) -> None:
    await post.subscribe()
    sink = Slow()
    sink.may_end.set()
    async with Database(database.url, size=1) as small, AsyncExitStack() as taken:
        relay = Relay(
            small, {"recorder": sink}, Wakeups(database.url), limits=RelayLimits(poll=timedelta(seconds=0.01))
        )
        await taken.enter_async_context(small.connection())  # nobody else can have one
        small._pool.timeout = 0.05  # and is soon told so
        async with running(relay), asyncio.timeout(60):
            while not said.events("relay.stalled"):
                await post.ask("SELECT 1")
            small._pool.timeout = 60
            await taken.aclose()
            await post.publish("m")
            await sink.began.get()

    assert "DATABASE_UNREACHABLE" in {line["code"] for line in said.events("relay.stalled")}


async def test_a_delivery_is_traced_with_its_cause(post: Post, spans: Spans) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: RetryableTransient("away") if one.attempt == 1 else None
    await post.publish_many([Draft(payload=1, attributes={"correlation_id": "cause-7"})])

    await post.relay.run_once()

    (span,) = spans.named("message.deliver")
    assert span.attributes
    assert span.attributes["correlation_id"] == "cause-7"
    assert (span.attributes["topic"], span.attributes["attempt"]) == ("topic", 1)
    assert span.attributes["outcome"] == "UNAVAILABLE"


async def test_the_trouble_of_one_topic_is_not_the_others(post: Post) -> None:
    await post.subscribe("broken", topic="a")
    await post.subscribe("fine", topic="b")
    await post.publish(1, topic="a")
    await post.drain()
    async with post.database.tenant(TENANT) as tx:
        await tx.connection.execute("UPDATE topics SET last_position = 0 WHERE name = 'a'")  # a position given twice
    await post.publish(2, topic="a")
    await post.publish(3, topic="b")

    with pytest.raises(Conflict):
        await post.relay.run_once()

    assert await post.ask("SELECT count(*) FROM strands WHERE topic = 'b'") == 1
