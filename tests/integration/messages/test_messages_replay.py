"""Replaying a subscription, from a position or a moment on."""

from datetime import UTC, datetime

import pytest
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.messages import BEGINNING, Subscription, ack, publish, replay, subscribe, unsubscribe
from windrow.postgres import audit

OPERATOR = Actor("olga", "cli")


async def set_back(post: Post, since: int | datetime, name: str = "sub") -> int:
    async with post.database.tenant(TENANT) as tx:
        return await replay(tx, name, since=since, actor=OPERATOR)


async def test_what_follows_a_position_is_delivered_again_in_order(post: Post) -> None:
    await post.subscribe()
    await post.publish(1, 2, 3, key="a")
    await post.publish(4, key="b")
    await post.drain()
    post.sink.deliveries.clear()

    assert await set_back(post, since=2) == 3
    await post.drain()

    assert [n for n in post.sink.payloads if n != 4] == [2, 3]
    assert 4 in post.sink.payloads


async def test_what_was_published_since_a_moment_is_delivered_again(post: Post) -> None:
    await post.subscribe()
    await post.publish("before", key="k")
    await post.drain()
    moment = await post.ask("SELECT clock_timestamp()")
    await post.publish("after", key="k")
    await post.drain()
    post.sink.deliveries.clear()

    await set_back(post, since=moment)
    await post.drain()

    assert post.sink.payloads == ["after"]


async def test_what_was_not_yet_delivered_stays_in_line_before_it(post: Post) -> None:
    await post.subscribe()
    await post.publish(1, 2, 3, key="k")
    await post.relay.run_once()

    await set_back(post, since=3)
    await post.drain()

    assert post.sink.payloads == [1, 2, 3]


async def test_a_claim_under_way_is_void(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("m", key="k")
    (delivery,) = await post.claim()

    await set_back(post, since=BEGINNING)

    async with post.database.tenant(TENANT) as tx:
        assert not await ack(tx, delivery)
    (again,) = await post.claim()
    assert (again.message.message_id, again.attempt) == (delivery.message.message_id, 1)


async def test_dead_letters_from_there_on_are_among_the_replayed(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda _: ValidationFailure("no")
    await post.publish("m", key="k")
    await post.drain()
    post.sink.fail = lambda _: None

    await set_back(post, since=BEGINNING)
    await post.drain()

    assert post.sink.payloads == ["m", "m"]
    assert await post.ask("SELECT count(*) FROM dead_letters") == 0


async def test_other_subscriptions_are_left_alone_and_the_trail_tells_who_did_it(post: Post) -> None:
    await post.subscribe("one")
    await post.subscribe("two")
    await post.publish("m", key="k")
    await post.drain()
    post.sink.deliveries.clear()

    await set_back(post, since=BEGINNING, name="one")
    await post.drain()

    assert [delivery.subscription for delivery in post.sink.deliveries] == ["one"]
    async with post.database.tenant(TENANT) as tx:
        (line,) = await audit.history(tx, subject="subscription/one")
    assert (line.actor, line.details) == ("olga", {"topic": "topic", "position": 1, "messages": 1})


@pytest.mark.parametrize("since", [0, -1, datetime(2030, 1, 1)], ids=["zero", "negative", "no time zone"])  # noqa: DTZ001
async def test_what_is_no_place_to_begin_is_refused(post: Post, since: int | datetime) -> None:
    await post.subscribe()

    with pytest.raises(ValidationFailure) as refusal:
        await set_back(post, since=since)

    assert refusal.value.hint


async def test_nothing_follows_a_moment_to_come(post: Post) -> None:
    await post.subscribe()
    await post.publish("m")
    await post.drain()

    assert await set_back(post, since=datetime(2999, 1, 1, tzinfo=UTC)) == 0


async def test_a_new_subscription_begins_now_or_where_it_is_told_to(post: Post) -> None:
    await post.subscribe("old")
    await post.publish("m", key="k")
    await post.drain()
    post.sink.deliveries.clear()

    async with post.database.tenant(TENANT) as tx:
        await subscribe(tx, Subscription(name="new", topic="topic", sink="recorder"))
        await subscribe(tx, Subscription(name="all", topic="topic", sink="recorder"), since=BEGINNING)
    await post.drain()

    assert [delivery.subscription for delivery in post.sink.deliveries] == ["all"]


async def test_subscribing_again_changes_the_terms_and_nothing_else(post: Post) -> None:
    await post.subscribe()
    await post.publish("m", key="k")
    async with post.database.tenant(TENANT) as tx:
        assert not await subscribe(tx, Subscription(name="sub", topic="topic", sink=None), since=BEGINNING)

    (delivery,) = await post.claim()
    assert delivery.message.payload == "m"
    async with post.database.tenant(TENANT) as tx:
        with pytest.raises(ValidationFailure, match="is one of topic 'topic'"):
            await subscribe(tx, Subscription(name="sub", topic="elsewhere"))


async def test_a_message_uncommitted_while_somebody_subscribes_reaches_him(post: Post) -> None:
    """Fan-out in the publisher's statement would have missed the subscription, and the subscription the message."""
    async with post.database.tenant(TENANT) as tx:
        await publish(tx, "topic", "under way")
        await post.subscribe()

    await post.drain()

    assert post.sink.payloads == ["under way"]


async def test_a_subscription_that_is_removed_takes_its_work_along(post: Post) -> None:
    await post.subscribe()
    await post.publish("m", key="k")
    async with post.database.tenant(TENANT) as tx:
        await unsubscribe(tx, "sub", actor=OPERATOR, reason="moved")
        with pytest.raises(ValidationFailure) as refusal:
            await unsubscribe(tx, "sub", actor=OPERATOR)

    await post.drain()

    assert refusal.value.code is Code.NOT_FOUND
    assert post.sink.payloads == []
