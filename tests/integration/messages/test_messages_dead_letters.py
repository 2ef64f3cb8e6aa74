"""Dead letters: listed, opened, put back with their id, given up."""

from uuid import UUID, uuid4

import pytest
from tests.conftest import Said
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.messages import (
    DeadLetter,
    LastLetter,
    dead_letters,
    discard_dead_letters,
    nack,
    replay_dead_letters,
    show_dead_letter,
)
from windrow.postgres import audit
from windrow.telemetry.redaction import PROCESS

OPERATOR = Actor("olga", "cli")
AT_ONCE = b"""INSERT INTO dead_letters (tenant_id, subscription, message_id, topic, key, position, attempts, error_class, code, reason, died_at)
  VALUES (%(tenant_id)s, %(subscription)s, %(message_id)s, %(topic)s, %(key)s, %(position)s, %(attempts)s, %(error_class)s, %(code)s,
          %(reason)s, %(died_at)s)"""


async def all_die(post: Post, *payloads: object, key: str = "k") -> list[UUID]:
    post.sink.fail = lambda _: ValidationFailure("not like this", code=Code.REFUSED)
    ids = await post.publish(*payloads, key=key)
    await post.drain()
    post.sink.deliveries.clear()
    post.sink.fail = lambda _: None
    return ids


async def letters(post: Post, **choice: object) -> list[DeadLetter]:
    async with post.database.tenant(TENANT) as tx:
        return await dead_letters(tx, **choice)  # type: ignore[arg-type]


async def test_the_latest_are_listed_first_page_by_page(post: Post) -> None:
    await post.subscribe()
    ids = await all_die(post, 1, 2, 3)

    first = await letters(post, limit=2)
    rest = await letters(post, limit=2, after=LastLetter(first[-1].died_at))

    assert [letter.message_id for letter in first + rest] == ids[::-1]
    assert await letters(post, subscription="another") == []
    assert len(await letters(post, topic="topic")) == 3


async def test_letters_that_died_at_one_moment_are_read_page_by_page_and_none_is_passed_over(post: Post) -> None:
    await post.subscribe()
    await all_die(post, 1, 2, 3)
    async with post.database.tenant(TENANT) as tx:
        died = (await dead_letters(tx, limit=1))[0].died_at
        rows = await (await tx.connection.execute(b"DELETE FROM dead_letters RETURNING *")).fetchall()
        for row in rows:
            await tx.connection.execute(AT_ONCE, row | {"died_at": died})

    whole, found = await letters(post), list[DeadLetter]()
    for _ in whole:
        last = LastLetter(found[-1].died_at, found[-1].subscription, found[-1].message_id) if found else None
        found += await letters(post, limit=1, after=last)

    assert len(found) == 3
    assert found == whole


async def test_an_opened_letter_shows_the_message_without_its_secrets(post: Post) -> None:
    await post.subscribe()
    PROCESS.know("canary-in-a-payload")
    (message_id,) = await all_die(post, {"password": "x1y2z3", "note": "canary-in-a-payload", "plain": "shown"})

    async with post.database.tenant(TENANT) as tx:
        (letter,) = await show_dead_letter(tx, message_id)

    assert letter.payload == {"password": "[redacted]", "note": "[redacted]", "plain": "shown"}
    assert (letter.reason, letter.code) == ("not like this", "REFUSED")


async def test_what_is_no_dead_letter_is_told_so(post: Post) -> None:
    async with post.database.tenant(TENANT) as tx:
        with pytest.raises(ValidationFailure, match="is no dead letter"):
            await show_dead_letter(tx, uuid4())


async def test_a_letter_put_back_is_delivered_with_its_id_and_a_fresh_budget(post: Post, said: Said) -> None:
    await post.subscribe()
    ids = await all_die(post, "one", "two")

    async with post.database.tenant(TENANT) as tx:
        back = await replay_dead_letters(tx, actor=OPERATOR, message_ids=ids[:1], reason="the receiver was mended")
    await post.drain()

    assert [letter.message_id for letter in back] == ids[:1]
    assert [(one.message.message_id, one.attempt) for one in post.sink.deliveries] == [(ids[0], 1)]
    assert [letter.message_id for letter in await letters(post)] == ids[1:]
    assert said.events("dead_letters.replayed")[0]["letters"] == 1
    async with post.database.tenant(TENANT) as tx:
        (line,) = await audit.history(tx)
    assert (line.action, line.actor, line.reason) == ("dead_letters.replay", "olga", "the receiver was mended")
    assert line.details == {"letters": 1, "message_ids": [str(ids[0])]}


async def test_letters_put_back_keep_their_order_and_go_behind_what_is_in_line(post: Post) -> None:
    await post.subscribe()
    await all_die(post, "dead 1", "dead 2")
    await post.publish("in line", key="k")

    async with post.database.tenant(TENANT) as tx:
        await replay_dead_letters(tx, actor=OPERATOR, subscription="sub")
    await post.publish("newer", key="k")
    await post.drain()

    assert post.sink.payloads == ["in line", "dead 1", "dead 2", "newer"]


async def test_only_the_subscription_that_lost_it_receives_it_again(post: Post) -> None:
    await post.subscribe("loser")
    await post.subscribe("fine")
    post.sink.fail = lambda one: ValidationFailure("no") if one.subscription == "loser" else None
    await post.publish("m", key="k")
    await post.drain()
    post.sink.deliveries.clear()
    post.sink.fail = lambda _: None

    async with post.database.tenant(TENANT) as tx:
        await replay_dead_letters(tx, actor=OPERATOR)
    await post.drain()

    assert [one.subscription for one in post.sink.deliveries] == ["loser"]
    assert await post.ask("SELECT count(*) FROM strands") == 0


async def test_putting_back_twice_delivers_once(post: Post) -> None:
    await post.subscribe()
    ids = await all_die(post, "m")
    for expected in (1, 0):
        async with post.database.tenant(TENANT) as tx:
            assert len(await replay_dead_letters(tx, actor=OPERATOR, message_ids=ids)) == expected
    await post.drain()

    assert post.sink.payloads == ["m"]


async def test_what_dies_again_is_one_letter_again(post: Post) -> None:
    await post.subscribe()
    ids = await all_die(post, "m")
    post.sink.fail = lambda _: ValidationFailure("still not")
    async with post.database.tenant(TENANT) as tx:
        await replay_dead_letters(tx, actor=OPERATOR, message_ids=ids)
    await post.drain()

    (letter,) = await letters(post)
    assert (letter.message_id, letter.reason) == (ids[0], "still not")


async def test_a_letter_given_up_is_gone_and_the_trail_tells_who_did_it(post: Post) -> None:
    await post.subscribe()
    ids = await all_die(post, "one", "two")

    async with post.database.tenant(TENANT) as tx:
        await discard_dead_letters(tx, actor=OPERATOR, message_ids=ids[:1])

    assert [letter.message_id for letter in await letters(post)] == ids[1:]
    async with post.database.tenant(TENANT) as tx:
        (line,) = await audit.history(tx, subject="dead_letters/*")
    assert line.action == "dead_letters.discard"


async def test_a_dead_letter_and_the_progress_of_its_key_are_written_together(post: Post) -> None:
    """An error after the burial, in the same transaction, leaves neither."""
    await post.subscribe(sink=None)
    await post.publish("m", key="k")
    (delivery,) = await post.claim()
    with pytest.raises(ZeroDivisionError):
        async with post.database.tenant(TENANT) as tx:
            await nack(tx, delivery, ValidationFailure("no"))
            raise ZeroDivisionError

    assert await letters(post) == []
    await post.make_due()
    assert len(await post.claim()) == 1
