"""Failures: the policy's delays by the database's clock, and the dead letter at the end of the budget."""

from datetime import timedelta

import pytest
from tests.conftest import Said
from tests.integration.messages.post import EXACT, TENANT, Post, counted

from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.messages import dead_letters

WAIT = "SELECT extract(epoch FROM due_at - failed_at)::float FROM strands"


async def test_a_failed_delivery_waits_as_the_policy_says_and_then_is_a_dead_letter(post: Post, said: Said) -> None:
    await post.subscribe(policy=EXACT)
    post.sink.fail = lambda _: RetryableTransient("the receiver is away", code=Code.NETWORK)
    (message_id,) = await post.publish("m", key="k")
    before = counted("messages_dead_lettered_total", topic="topic", mode="push", code="NETWORK")
    waits = []

    for _ in range(3):
        await post.relay.run_once()
        waits.append(await post.ask(WAIT))
        await post.make_due()
    await post.drain()

    assert waits == pytest.approx([10, 20, 40], abs=0.01)
    assert [delivery.attempt for delivery in post.sink.deliveries] == [1, 2, 3, 4]
    assert {delivery.message.message_id for delivery in post.sink.deliveries} == {message_id}
    async with post.database.tenant(TENANT) as tx:
        (letter,) = await dead_letters(tx)
    assert (letter.message_id, letter.subscription, letter.attempts) == (message_id, "sub", 4)
    assert (letter.error_class, letter.code, letter.reason) == ("RetryableTransient", "NETWORK", "the receiver is away")
    assert [line["retry_in_seconds"] for line in said.events("message.retried")] == [10, 20, 40]
    (dead,) = said.events("message.dead_lettered")
    assert (dead["level"], dead["message_id"], dead["tenant_id"]) == ("ERROR", str(message_id), TENANT)
    assert counted("messages_dead_lettered_total", topic="topic", mode="push", code="NETWORK") == before + 1
    assert await post.ask("SELECT count(*) FROM strands") == 0


async def test_jitter_comes_from_outside_and_shortens_the_wait(post: Post) -> None:
    await post.subscribe(policy=RetryPolicy(timedelta(seconds=10), timedelta(seconds=60), attempts=4, spread=0.5))
    post.sink.fail = lambda _: RetryableTransient("away")
    post.jitter = 0.5
    await post.publish("m")

    await post.relay.run_once()

    assert await post.ask(WAIT) == pytest.approx(7.5, abs=0.01)


async def test_a_receiver_that_asks_for_patience_is_given_at_least_that(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda _: RateLimited("slow down", retry_after=33)
    await post.publish("m")

    await post.relay.run_once()

    assert await post.ask(WAIT) == pytest.approx(33, abs=0.01)


async def test_what_a_receiver_finds_malformed_is_a_dead_letter_at_once_and_its_key_goes_on(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: ValidationFailure("no") if one.message.payload == "bad" else None
    await post.publish("bad", "good", key="k")

    await post.drain()

    assert post.sink.payloads == ["bad", "good"]
    assert await post.ask("SELECT count(*) FROM dead_letters") == 1


async def test_a_refused_credential_is_mended_within_the_budget(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: Fatal("401", code=Code.UNAUTHORIZED) if one.attempt < 3 else None
    await post.publish("m")
    for _ in range(3):
        await post.drain()
        await post.make_due()

    assert [delivery.attempt for delivery in post.sink.deliveries] == [1, 2, 3]
    assert await post.ask("SELECT count(*) FROM dead_letters") == 0


async def test_an_exception_of_nobodys_is_transient_and_its_secret_is_not_kept(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda _: RuntimeError("token=canary-1234 was refused")
    await post.publish("m")

    await post.relay.run_once()

    kept = await post.ask("SELECT error FROM strands")
    assert kept.startswith("RuntimeError")
    assert "canary" not in kept


async def test_a_message_that_kills_every_consumer_ends_as_a_dead_letter_too(post: Post) -> None:
    await post.subscribe(sink=None, policy=EXACT)
    await post.publish("killer", "next", key="k")
    for attempt in (1, 2, 3, 4):
        (delivery,) = await post.claim()
        assert (delivery.message.payload, delivery.attempt) == ("killer", attempt)
        await post.make_due()

    assert await post.claim() == []  # it is given to nobody a fifth time

    async with post.database.tenant(TENANT) as tx:
        (letter,) = await dead_letters(tx)
    assert (letter.attempts, letter.code) == (4, "LEASE_LOST")
    (following,) = await post.claim()
    assert following.message.payload == "next"


async def test_a_spent_message_does_not_make_a_full_queue_seem_empty(post: Post) -> None:
    await post.subscribe(sink=None, policy=RetryPolicy(timedelta(0), timedelta(0), attempts=1))
    await post.publish("spent", key="a")
    await post.claim()
    await post.make_due()
    await post.publish("fresh", key="b")

    assert [one.message.payload for one in await post.claim(limit=1)] == ["fresh"]


async def test_a_delivery_that_succeeds_forgets_the_failures_before_it(post: Post) -> None:
    await post.subscribe()
    post.sink.fail = lambda one: RetryableTransient("away") if one.attempt < 4 else None
    await post.publish("first", "second", key="k")
    for _ in range(8):
        await post.drain()
        await post.make_due()

    assert [(one.message.payload, one.attempt) for one in post.sink.deliveries] == [
        (payload, attempt) for payload in ("first", "second") for attempt in (1, 2, 3, 4)
    ]


async def test_a_policy_without_a_budget_tries_for_ever(post: Post) -> None:
    await post.subscribe(policy=RetryPolicy(timedelta(seconds=1), timedelta(seconds=2), attempts=None))
    post.sink.fail = lambda _: RetryableTransient("away")
    await post.publish("m")
    for _ in range(12):
        await post.drain()
        await post.make_due()

    assert len(post.sink.deliveries) == 12
    assert await post.ask("SELECT count(*) FROM dead_letters") == 0
