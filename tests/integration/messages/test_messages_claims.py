"""Pull subscriptions: claims, deadlines, the fence, and settling in the consumer's own transaction."""

import asyncio
from datetime import timedelta

import pytest
from tests.conftest import Said
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.messages import Delivery, Outcome, ack, claim, extend, holding, nack, release, route


async def settle(post: Post, delivery: Delivery) -> bool:
    async with post.database.tenant(TENANT) as tx:
        return await ack(tx, delivery)


@pytest.mark.req("EV-13")
async def test_a_message_in_a_postgres_topic_is_pulled_and_acknowledged_once(post: Post) -> None:
    await post.subscribe(sink=None)
    (message_id,) = await post.publish({"n": 1}, key="k")

    (delivery,) = await post.claim()

    assert (delivery.message.message_id, delivery.message.payload, delivery.attempt) == (message_id, {"n": 1}, 1)
    assert await settle(post, delivery)
    assert await post.claim() == []


async def test_at_most_one_message_of_a_key_is_in_hand(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish(1, 2, key="a")
    await post.publish(3, 4, key="b")

    taken = await post.claim(limit=10)

    assert [delivery.message.payload for delivery in taken] == [1, 3]
    assert await post.claim(limit=10) == []
    assert await settle(post, taken[0])
    assert [delivery.message.payload for delivery in await post.claim(limit=10)] == [2]


async def test_messages_without_a_key_wait_for_nobody(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish(1, 2, 3)

    assert [delivery.message.payload for delivery in await post.claim(limit=10)] == [1, 2, 3]


async def test_a_claim_that_runs_out_goes_to_another_and_the_zombie_settles_nothing(post: Post, said: Said) -> None:
    await post.subscribe(sink=None)
    await post.publish("m", key="k")
    (zombie,) = await post.claim(by="zombie")
    await post.make_due()
    (heir,) = await post.claim(by="heir")
    assert (heir.message.message_id, heir.attempt) == (zombie.message.message_id, 2)

    assert not await settle(post, zombie)
    async with post.database.tenant(TENANT) as tx:
        assert await nack(tx, zombie, RetryableTransient("late")) is Outcome.LOST
        assert not await extend(tx, zombie)
        assert not await release(tx, zombie)

    assert await settle(post, heir)
    assert said.events("claim.expired")[0]["claimed_by"] == "zombie"
    assert {line["claimed_by"] for line in said.events("claim.lost")} == {"zombie"}


async def test_who_is_late_but_not_replaced_may_still_settle(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("m")
    (late,) = await post.claim()
    await post.make_due()

    assert await settle(post, late)
    assert await post.claim() == []


async def test_an_acknowledgement_is_part_of_the_consumers_transaction(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("m")
    (delivery,) = await post.claim()
    with pytest.raises(ZeroDivisionError):
        async with post.database.tenant(TENANT) as tx:
            assert await ack(tx, delivery)
            raise ZeroDivisionError

    await post.make_due()
    (again,) = await post.claim()

    assert again.message.message_id == delivery.message.message_id


async def test_while_an_acknowledgement_is_uncommitted_nobody_else_gets_the_message(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("m", key="k")
    (delivery,) = await post.claim()
    await post.make_due()

    async with post.database.tenant(TENANT) as tx:
        assert await ack(tx, delivery)
        assert await post.claim() == []

    assert await post.claim() == []


async def test_a_consumer_that_holds_its_transaction_open_does_not_hold_up_the_topic(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("held", key="a")
    (delivery,) = await post.claim()

    async with post.database.tenant(TENANT) as tx, asyncio.timeout(60):
        assert await ack(tx, delivery)
        await post.publish("behind", key="a")
        await post.publish("free", key="b")
        assert [one.message.payload for one in await post.claim(limit=10)] == ["free"]

    assert [one.message.payload for one in await post.claim(limit=10)] == ["behind"]


async def test_several_are_settled_together_or_not_at_all(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish(1, 2, 3)
    taken = await post.claim(limit=3)
    async with post.database.tenant(TENANT) as tx:
        await release(tx, taken[1])

    with pytest.raises(ZeroDivisionError):
        async with post.database.tenant(TENANT) as tx:
            assert not await ack(tx, *taken)
            raise ZeroDivisionError

    async with post.database.tenant(TENANT) as tx:
        assert await ack(tx, taken[0], taken[2])
    assert [one.message.payload for one in await post.claim(limit=3)] == [2]


async def test_what_is_given_back_is_due_at_once_and_no_attempt_was_made(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish("m")
    (first,) = await post.claim()
    async with post.database.tenant(TENANT) as tx:
        assert await release(tx, first)

    (second,) = await post.claim()

    assert second.attempt == 1


async def test_an_extension_counts_from_now_by_the_databases_clock(post: Post) -> None:
    await post.subscribe(sink=None, ack_deadline=timedelta(seconds=30))
    await post.publish("m")
    (delivery,) = await post.claim()
    remaining = "SELECT extract(epoch FROM due_at - clock_timestamp()) FROM strands"
    assert 0 < await post.ask(remaining) <= 30

    async with post.database.tenant(TENANT) as tx:
        assert await extend(tx, delivery, by=timedelta(minutes=5))

    assert 30 < await post.ask(remaining) <= 300


@pytest.mark.req("EV-14")
async def test_the_deadline_is_extended_for_as_long_as_the_work_takes(post: Post) -> None:
    await post.subscribe(sink=None, ack_deadline=timedelta(seconds=3))
    await post.publish("m")
    (delivery,) = await post.claim()
    deadline = await post.ask("SELECT due_at FROM strands")

    async with holding(post.database, delivery) as lost, asyncio.timeout(60):
        # the work takes longer than the claim lasts, and a rival asks for the message all the while
        while await post.ask("SELECT clock_timestamp() < %(deadline)s", deadline=deadline):
            assert await post.claim(by="rival") == []

    assert not lost.is_set()
    assert await settle(post, delivery)


async def test_who_holds_on_learns_that_the_claim_was_lost(post: Post) -> None:
    await post.subscribe(sink=None, ack_deadline=timedelta(seconds=0.3))
    await post.publish("m")
    (delivery,) = await post.claim()
    await post.make_due()
    (heir,) = await post.claim()

    async with holding(post.database, delivery) as lost, asyncio.timeout(60):
        await lost.wait()

    assert await settle(post, heir)


async def test_a_name_that_is_no_subscription_is_told_so(post: Post) -> None:
    async with post.database.tenant(TENANT) as tx:
        with pytest.raises(ValidationFailure, match="no subscription 'nobody'") as refusal:
            await claim(tx, "nobody", by="consumer")

    assert refusal.value.code is Code.NOT_FOUND


async def test_many_consumers_at_once_share_the_messages_without_a_double(post: Post) -> None:
    await post.subscribe(sink=None)
    await post.publish(*range(60))
    await route(post.database)

    async def consumer(name: str) -> list[int]:
        done = []
        while taken := await post.claim(by=name, limit=3):
            async with post.database.tenant(TENANT) as tx:
                assert await ack(tx, *taken)
            done += [delivery.message.payload for delivery in taken]
        return done

    shares = await asyncio.gather(*(consumer(f"consumer-{n}") for n in range(5)))

    assert sorted(n for share in shares for n in share) == list(range(60))
