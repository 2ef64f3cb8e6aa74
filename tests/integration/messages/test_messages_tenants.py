"""Whose messages they are; and what a person is shown."""

import psycopg
import pytest
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.messages import ack, claim, dead_letters, peek, replay, replay_dead_letters, subscriptions, topics
from windrow.postgres import Database

TABLES = ["topics", "subscriptions", "messages", "topic_log", "strands", "dead_letters"]


async def test_no_tenant_sees_or_settles_what_is_anothers(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("secret of acme", key="k")
    (delivery,) = await post.claim()

    async with post.database.tenant("other") as tx:
        assert (await topics(tx), await subscriptions(tx), await dead_letters(tx)) == ([], [], [])
        assert not await ack(tx, delivery)
        assert await replay_dead_letters(tx, actor=Actor("eve", "cli")) == []
        for act in (
            claim(tx, "sub", by="eve"),
            replay(tx, "sub", since=1, actor=Actor("eve", "cli")),
            peek(tx, "topic"),
        ):
            with pytest.raises(ValidationFailure) as refusal:
                await act
            assert refusal.value.code is Code.NOT_FOUND

    async with post.database.tenant(TENANT) as tx:
        assert await ack(tx, delivery)


async def test_two_tenants_may_use_the_same_names(post: Post) -> None:
    for tenant in (TENANT, "other"):
        await post.subscribe(tenant=tenant)
        await post.publish(tenant, key="k", tenant=tenant)

    await post.drain()

    assert sorted(post.sink.payloads) == [TENANT, "other"]
    assert all(one.message.payload == one.message.tenant_id for one in post.sink.deliveries)


@pytest.mark.parametrize("table", ["messages", "dead_letters"])
async def test_the_system_role_cannot_read_what_was_said(database: Database, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with await psycopg.AsyncConnection.connect(database.url) as connection:
            await connection.execute("SET ROLE windrow_system")
            await connection.execute(f"SELECT * FROM windrow.{table}".encode())


async def test_topics_and_subscriptions_tell_how_they_stand(post: Post) -> None:
    await post.subscribe("fine")
    await post.subscribe("shaky")
    post.sink.fail = lambda one: (
        {"bad": ValidationFailure("no"), "later": RetryableTransient("away")}.get(one.message.payload)
        if one.subscription == "shaky"
        else None
    )
    await post.publish("bad", "later", "behind", key="k")
    await post.drain()
    await post.publish("unrouted")

    async with post.database.tenant(TENANT) as tx:
        (topic,) = await topics(tx)
        fine, shaky = await subscriptions(tx, "topic")

    assert (topic.name, topic.messages, topic.unrouted, topic.last_position, topic.dead_letters) == (
        "topic",
        4,
        1,
        3,
        1,
    )
    assert (fine.pending, fine.failing, fine.dead_letters, fine.oldest_at) == (0, 0, 0, None)
    assert (shaky.pending, shaky.failing, shaky.dead_letters, shaky.in_hand) == (2, 1, 1, 0)
    assert shaky.oldest_at == topic.oldest_at or shaky.oldest_at > topic.oldest_at  # type: ignore[operator]


async def test_a_peek_shows_the_newest_first_without_secrets(post: Post) -> None:
    await post.subscribe()
    await post.publish({"n": 1, "api_key": "canary-key"}, key="a")
    await post.publish({"n": 2}, key="b")
    await post.drain()
    await post.publish({"n": 3}, key="a")

    async with post.database.tenant(TENANT) as tx:
        seen = await peek(tx, "topic")
        of_a = await peek(tx, "topic", key="a", limit=1)
        older = await peek(tx, "topic", before=2)

    assert [(one.position, one.payload["n"]) for one in seen] == [(None, 3), (2, 2), (1, 1)]
    assert seen[2].payload["api_key"] == "[redacted]"
    assert [one.payload["n"] for one in of_a] == [3]
    assert [one.payload["n"] for one in older] == [1]


async def test_a_topic_that_is_not_there_is_told_so(post: Post) -> None:
    async with post.database.tenant(TENANT) as tx:
        with pytest.raises(ValidationFailure, match="there is no topic 'nowhere'"):
            await peek(tx, "nowhere")
