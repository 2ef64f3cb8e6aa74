"""Topics and dead letters, as an operator handles them."""

import asyncio
from typing import Any

from tests.stories.conftest import PATIENCE, Up

from windrow import messages
from windrow.contracts.errors import ValidationFailure
from windrow.postgres import Database
from windrow.stack import discover


async def refuse_everything(url: str, subscription: str) -> None:
    """A consumer that can make nothing of what it is given: every message becomes a dead letter."""
    taken: list[messages.Delivery] = []
    async with Database(url) as database, asyncio.timeout(PATIENCE):
        # the relay that runs may be at the routing itself: then there is nothing to be taken yet
        while not taken:
            await messages.route(database)
            async with database.tenant("local") as tx:
                taken = await messages.claim(tx, subscription, by="test", limit=10)
                for delivery in taken:
                    await messages.nack(tx, delivery, ValidationFailure("cannot be read"))


def operate(running: Up, *words: str) -> Any:
    return running.machine.answer(*words)


def test_a_message_is_published_refused_found_among_the_dead_letters_and_put_back(running: Up) -> None:
    operate(running, "topics", "subscribe", "readers", "--topic", "orders")
    sent = operate(running, "topics", "publish", "orders", '{"n": 1}', "--key", "k")["message_id"]
    found = discover(running.machine.home)
    assert found
    assert found.database_url
    asyncio.run(refuse_everything(found.database_url, "readers"))

    assert [message["payload"] for message in operate(running, "topics", "peek", "orders")] == [{"n": 1}]
    (letter,) = operate(running, "dlq", "list")
    assert (letter["message_id"], letter["code"], letter["reason"]) == (sent, "INVALID", "cannot be read")
    (shown,) = operate(running, "dlq", "show", sent)
    assert shown["payload"] == {"n": 1}

    assert operate(running, "dlq", "replay", sent, "--reason", "mended")["message_ids"] == [sent]
    assert operate(running, "dlq", "list") == []
    (entry,) = operate(running, "audit", "dead_letters/*")
    assert (entry["action"], entry["reason"]) == ("dead_letters.replay", "mended")


def test_a_subscription_receives_again_from_a_position(running: Up) -> None:
    operate(running, "topics", "publish", "again", "1")
    operate(running, "topics", "subscribe", "later", "--topic", "again", "--from-the-beginning")

    assert operate(running, "topics", "replay", "later", "--since", "1")["subscription"] == "later"
    (status,) = operate(running, "topics", "subscriptions", "again")
    assert status["name"] == "later"


def test_a_subscription_that_nobody_wants_any_more_is_given_up(running: Up) -> None:
    for name in ("here", "anywhere"):
        operate(running, "topics", "subscribe", name, "--topic", "unwanted")

    assert operate(running, "topics", "unsubscribe", "here", "--reason", "moved")["outcome"] == "removed"
    assert operate(running, "topics", "unsubscribe", "anywhere", "--everywhere")["tenants"] == 1

    assert operate(running, "topics", "subscriptions", "unwanted") == []
    assert operate(running, "audit", "subscription/here")[0]["reason"] == "moved"


def test_what_is_not_there_is_told_with_the_next_step(running: Up) -> None:
    nowhere = "00000000-0000-0000-0000-000000000000"
    for words in (
        ("topics", "peek", "nope"),
        ("topics", "replay", "nope", "--since", "1"),
        ("topics", "replay", "nope", "--since", "yesterday"),
        ("topics", "subscribe", "x", "--topic", "orders", "--sink", "nope"),
        ("dlq", "show", nowhere),
        ("dlq", "replay"),
        ("dlq", "discard", nowhere, "--all"),
    ):
        done = running.machine.run(*words)
        assert done.returncode == 2, (words, done.stderr)
        assert "next:" in done.stderr, words


def test_discarding_all_leaves_none(running: Up) -> None:
    assert operate(running, "dlq", "discard", "--all", "--reason", "old")["discarded"] == 0
