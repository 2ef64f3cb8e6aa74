"""Retention removes what was delivered long ago, and nothing that somebody may still want; lag is measured."""

from datetime import timedelta

from tests.conftest import Said
from tests.integration.messages.post import TENANT, Post, counted

from windrow.contracts.errors import RetryableTransient, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.messages import declare, discard_dead_letters, measure_lag, purge, replay_dead_letters

DAY = timedelta(days=1)
OPERATOR = Actor("olga", "cli")


async def age(post: Post, tenant: str = TENANT) -> None:
    """Let two days pass over everything that was published."""
    async with post.database.tenant(tenant) as tx:
        await tx.connection.execute(
            "UPDATE topic_log SET routed_at = routed_at - interval '2 days', appended_at = appended_at - interval '2 days'"
        )


async def left(post: Post) -> list[object]:
    return await post.ask("SELECT coalesce(array_agg(payload::text ORDER BY published_at), '{}') FROM messages")


async def test_what_is_delivered_and_old_is_removed_and_what_is_new_stays(post: Post, said: Said) -> None:
    await post.subscribe()
    await post.publish(1, 2, key="k")
    await post.drain()
    await age(post)
    await post.publish(3, key="k")
    await post.drain()

    assert await purge(post.database, keep=DAY) == 2

    assert await left(post) == ["3"]
    assert await post.ask("SELECT count(*) FROM topic_log") == 1
    assert said.events("messages.purged")[0]["messages"] == 2


async def test_what_is_not_delivered_is_never_removed(post: Post) -> None:
    await post.subscribe("fine")
    await post.subscribe("away")
    await post.publish("delivered", "blocked", "waiting", key="k")
    post.sink.fail = lambda one: (
        RetryableTransient("away") if one.subscription == "away" and one.message.payload != "delivered" else None
    )
    await post.drain()
    await age(post)
    await post.publish("unrouted", key="k")

    assert await purge(post.database, keep=DAY) == 1

    assert await left(post) == ['"blocked"', '"waiting"', '"unrouted"']


async def test_a_message_stays_as_long_as_its_dead_letter_and_as_it_is_put_back(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda _: ValidationFailure("no")
    await post.publish("dead", "gone", key="k")
    await post.drain()
    await age(post)
    assert await purge(post.database, keep=DAY) == 0

    async with post.database.tenant(TENANT) as tx:
        (first, second) = sorted([*await replay_dead_letters(tx, actor=OPERATOR)], key=lambda one: one.position)
    assert (first.key, second.key) == ("k", "k")
    await age(post)
    assert await purge(post.database, keep=DAY) == 0
    post.sink.fail = lambda one: ValidationFailure("no") if one.message.payload == "gone" else None
    await post.drain()
    await age(post)

    # the line that put it back goes first, then the message with its own
    assert [await purge(post.database, keep=DAY) for _ in range(2)] == [0, 1]
    async with post.database.tenant(TENANT) as tx:
        await discard_dead_letters(tx, actor=OPERATOR)
    assert [await purge(post.database, keep=DAY) for _ in range(2)] == [0, 1]
    assert await left(post) == []
    assert await post.ask("SELECT count(*) FROM topic_log") == 0


async def test_old_letters_in_front_do_not_keep_the_rest_from_being_removed(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: ValidationFailure("no") if one.message.payload < 5 else None
    await post.publish(*range(10))
    await post.drain()
    await age(post)

    assert await purge(post.database, keep=DAY, batch=2) == 5


async def test_a_topic_has_its_own_retention(post: Post) -> None:
    async with post.database.tenant(TENANT) as tx:
        await declare(tx, "topic", keep=timedelta(0))
        await declare(tx, "precious", keep=timedelta(days=365))
    await post.publish(1)
    await post.publish(2, topic="precious")
    await post.drain()
    await age(post)

    await purge(post.database, keep=DAY)

    assert await left(post) == ["2"]


async def test_lag_is_the_age_of_the_oldest_that_somebody_waits_for(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: RetryableTransient("away") if one.message.payload == "stuck" else None
    await post.publish("stuck", key="a")
    await post.publish("fine", key="b")
    await post.drain()
    await age(post)
    await post.publish("unrouted", topic="other")
    await post.drain()

    lags = await measure_lag(post.database)

    assert 2 * 86_400 <= lags["topic"] < 2 * 86_400 + 600
    assert lags["other"] == 0
    assert counted("messages_lag_seconds", topic="topic") == lags["topic"]
