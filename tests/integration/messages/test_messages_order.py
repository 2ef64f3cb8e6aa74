"""Order per key, whatever commits when and whatever fails; and nothing is ever skipped."""

import asyncio
import random
from collections import defaultdict
from contextlib import AsyncExitStack

from tests.integration.messages.post import TENANT, Post, Recorder

from windrow.contracts.errors import RetryableTransient
from windrow.messages import Delivery, Draft, publish, route
from windrow.postgres import Database


async def test_messages_of_a_key_arrive_in_the_order_of_publishing(post: Post) -> None:
    await post.subscribe()
    await post.publish(1, 2, 3, key="k")
    await post.publish(4, key="k")

    await post.drain()

    assert post.sink.payloads == [1, 2, 3, 4]


async def test_what_commits_late_is_not_skipped_by_who_has_gone_further(post: Post) -> None:
    """The lower number commits after the higher one was delivered: a cursor over the numbers would never see it."""
    await post.subscribe()
    async with post.database.tenant(TENANT) as slow:
        await publish(slow, "topic", "numbered first")
        await post.publish("numbered second")
        await post.drain()
        assert post.sink.payloads == ["numbered second"]

    await post.drain()

    assert post.sink.payloads == ["numbered second", "numbered first"]


async def test_positions_appear_in_their_own_order(post: Post) -> None:
    """Whoever has seen a position has seen every lower one, or it will never be given."""
    async with AsyncExitStack() as open_ones:
        slow = await open_ones.enter_async_context(post.database.tenant(TENANT))
        await publish(slow, "topic", "late")
        await post.publish("early")
        await route(post.database)
        assert await post.ask("SELECT array_agg(position) FROM topic_log WHERE position IS NOT NULL") == [1]
    await route(post.database)

    by_number = "SELECT array_agg(position ORDER BY seq) FROM topic_log"
    assert await post.ask(by_number) == [2, 1]


async def test_transactions_that_wait_for_the_same_row_announce_in_the_order_of_their_commits(post: Post) -> None:
    """Both change one row and then publish: the second takes its number only after the first has committed."""
    await post.subscribe()
    async with post.database.tenant(TENANT) as tx:
        await tx.connection.execute(
            "INSERT INTO idempotency_keys (tenant_id, key, request_hash) VALUES ('acme','job','-')"
        )
    second_may_end = asyncio.Event()

    async def second() -> None:
        async with post.database.tenant(TENANT) as tx:
            await tx.connection.execute("UPDATE idempotency_keys SET request_hash = 'second' WHERE key = 'job'")
            await publish(tx, "topic", "second", key="job")
            await second_may_end.wait()

    async with post.database.tenant(TENANT) as tx:
        await tx.connection.execute("UPDATE idempotency_keys SET request_hash = 'first' WHERE key = 'job'")
        waiting = asyncio.create_task(second())
        await publish(tx, "topic", "first", key="job")
    await post.drain()
    second_may_end.set()
    await waiting
    await post.drain()

    assert post.sink.payloads == ["first", "second"]


async def test_a_failing_message_holds_up_its_own_key_and_no_other(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda delivery: RetryableTransient("away") if delivery.message.payload == "poison" else None
    await post.publish("poison", "behind it", key="a")
    await post.publish(1, 2, 3, key="b")

    await post.drain()
    assert sorted(map(str, post.sink.payloads)) == ["1", "2", "3", "poison"]

    for _ in range(3):
        await post.make_due()
        await post.drain()

    assert post.sink.payloads[-2:] == ["poison", "behind it"]
    assert post.sink.payloads.count("poison") == 4


async def test_two_subscriptions_receive_the_same_order_each_at_its_own_pace(post: Post) -> None:
    await post.subscribe("steady")
    await post.subscribe("shaky")
    post.sink.fail = lambda one: (
        RetryableTransient("away") if one.subscription == "shaky" and one.attempt == 1 else None
    )
    await post.publish(1, 2, key="k")
    for _ in range(3):
        await post.drain()
        await post.make_due()

    received = defaultdict(list)
    for delivery in post.sink.deliveries:
        received[delivery.subscription].append(delivery.message.payload)
    assert received == {"steady": [1, 2], "shaky": [1, 1, 2, 2]}


async def test_order_per_key_holds_under_several_publishers_relays_and_failures(database: Database, post: Post) -> None:
    await post.subscribe()
    chance = random.Random(7)
    delivered: dict[str, list[int]] = defaultdict(list)

    def fail(delivery: Delivery) -> BaseException | None:
        if chance.random() < 0.2:
            return RetryableTransient("a bad day")
        delivered[delivery.message.key].append(delivery.message.payload)
        return None

    sinks = [Recorder(), Recorder()]
    for sink in sinks:
        sink.fail = fail
    relays = [post.another_relay(f"relay-{n}", sink, concurrency=5, route_batch=7) for n, sink in enumerate(sinks)]

    async def publisher(key: str) -> None:
        for start in range(0, 40, 4):
            await post.publish_many([Draft(payload=n, key=key) for n in range(start, start + 4)])

    publishing = [asyncio.create_task(publisher(f"key-{n}")) for n in range(6)]
    while any(len(delivered[f"key-{n}"]) < 40 for n in range(6)):
        await asyncio.gather(*(relay.run_once() for relay in relays))
        await post.make_due_again_after_failure()
    await asyncio.gather(*publishing)

    assert delivered == {f"key-{n}": list(range(40)) for n in range(6)}
