"""Publishing: in the caller's transaction, once per id, in one statement however many."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.errors import ValidationFailure
from windrow.messages import PUBLISHED_CHANNEL, Draft, peek, publish, publish_many, stable_id
from windrow.postgres import Database, Query, Transaction
from windrow.telemetry import bound


class Counting(Transaction):
    """Counts the statements that are sent."""

    statements = 0

    async def _run(self, query: Query, parameters: Any) -> Any:
        self.statements += 1
        return await super()._run(query, parameters)


async def test_a_message_is_there_if_and_only_if_its_transaction_committed(post: Post) -> None:
    await post.subscribe()
    with pytest.raises(ZeroDivisionError):
        async with post.database.tenant(TENANT) as tx:
            await publish(tx, "topic", "never")
            raise ZeroDivisionError
    await post.publish("said")

    await post.drain()

    assert post.sink.payloads == ["said"]


async def test_the_same_id_again_is_the_same_message(post: Post) -> None:
    await post.subscribe()
    same = stable_id("job", "42", "Done")
    for payload in ("first", "again"):
        async with post.database.tenant(TENANT) as tx:
            assert await publish(tx, "topic", payload, message_id=same) == same

    await post.drain()

    assert post.sink.payloads == ["first"]


async def test_an_id_is_a_message_of_its_topic_and_tenant_only(post: Post) -> None:
    same = uuid4()
    for tenant, topic in (("acme", "one"), ("acme", "two"), ("other", "one")):
        async with post.database.tenant(tenant) as tx:
            assert await publish_many(tx, topic, [Draft(payload=1, message_id=same)]) == 1


async def test_an_id_twice_in_one_batch_is_published_once_and_the_first_wins(post: Post) -> None:
    same = uuid4()
    drafts = [Draft(payload="a", message_id=same), Draft(payload="b", key="k"), Draft(payload="c", message_id=same)]

    assert await post.publish_many(drafts) == 2
    async with post.database.tenant(TENANT) as tx:
        assert [one.payload for one in await peek(tx, "topic")] == ["b", "a"]


async def test_ten_thousand_messages_are_one_statement_and_keep_their_order(post: Post) -> None:
    drafts = [Draft(payload={"n": n}, key=f"item-{n:05}") for n in range(10_000)]
    async with post.database.tenant(TENANT) as tx:
        counting = Counting(tx.connection)
        assert await publish_many(counting, "topic", drafts) == 10_000

    assert counting.statements == 1
    keys = await post.ask("SELECT array_agg(key ORDER BY seq) FROM topic_log")
    assert keys == [draft.key for draft in drafts]


async def test_a_transaction_of_many_messages_wakes_the_relay_once(database: Database, post: Post) -> None:
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as listening:
        await listening.execute(f"LISTEN {PUBLISHED_CHANNEL}")
        await post.publish(1, 2, 3)
        await post.publish(4)

        notices = [notice async for notice in listening.notifies(timeout=60, stop_after=2)]

    assert len(notices) == 2


async def test_a_duplicate_wakes_nobody(database: Database, post: Post) -> None:
    same = Draft(payload=1)
    await post.publish_many([same])
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as listening:
        await listening.execute(f"LISTEN {PUBLISHED_CHANNEL}")
        await post.publish_many([same])
        await post.publish("a new one")

        notices = [notice async for notice in listening.notifies(timeout=60, stop_after=1)]
        assert len(notices) == 1
        assert [notice async for notice in listening.notifies(timeout=0)] == []


async def test_a_batch_with_one_that_cannot_be_kept_is_refused_and_nothing_of_it_is_written(post: Post) -> None:
    with pytest.raises(ValidationFailure, match="NUL"):
        await post.publish_many([Draft(payload="good"), Draft(payload={"text": "a\0b"})])

    assert await post.ask("SELECT count(*) FROM messages") == 0


async def test_a_text_that_spells_an_escape_comes_back_as_it_was(post: Post) -> None:
    await post.subscribe()
    odd = {"spelled": "\\u0000", "big": 2**62, "float": 1e22, "text": "\u2028 ✓ 𝄞", "empty": [{}, [], None, ""]}
    await post.publish(odd)

    await post.drain()

    assert post.sink.payloads == [odd]


async def test_a_topic_that_is_no_name_is_refused(post: Post) -> None:
    with pytest.raises(ValidationFailure, match="topic 'Bad Name' is not a name"):
        await post.publish(1, topic="Bad Name")


async def test_the_cause_travels_with_the_message(post: Post) -> None:
    await post.subscribe()
    with bound(correlation_id="cause-1"):
        await post.publish("announced")
    await post.drain()

    assert post.sink.deliveries[0].message.attributes == {"correlation_id": "cause-1"}
