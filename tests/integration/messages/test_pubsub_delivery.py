"""Topics that the operator maps to Google Pub/Sub: the relay, Google's own client, and a Pub/Sub on loopback."""

import json
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from grpc import StatusCode
from tests.conftest import Said
from tests.fakes.pubsub import FakePubSub, Planned
from tests.integration.messages.post import TENANT, Post, counted

from windrow.contracts.errors import Code
from windrow.messages import Draft, Relay, dead_letters, subscribe
from windrow.messages.pubsub import Endpoint, PubSub, PubSubTopic, subscription_of
from windrow.postgres.wakeups import Wakeups

THERE = "projects/acme/topics/work"
WAIT = "SELECT extract(epoch FROM due_at - failed_at)::float FROM strands"


@pytest.fixture
async def server() -> AsyncIterator[FakePubSub]:
    async with FakePubSub() as fake:
        fake.topic(THERE)
        yield fake


@pytest.fixture
async def relay(post: Post, server: FakePubSub) -> AsyncIterator[Relay]:
    """Of topic `topic`, with five tries and a jitter that is told."""
    async with post.database.tenant(TENANT) as tx:
        await subscribe(tx, subscription_of("topic", attempts=5))
    async with PubSub(Endpoint.parse(server.address), timeout=5) as pubsub:
        sinks = {"pubsub.topic": PubSubTopic(pubsub, THERE)}
        yield Relay(post.database, sinks, Wakeups(post.database.url), jitter=lambda: post.jitter)


def ids(server: FakePubSub) -> list[str]:
    return [message.attributes["messageId"] for message in server.published(THERE)]


@pytest.mark.req("EV-13")
async def test_a_message_arrives_with_its_payload_its_id_and_what_it_is_about(
    post: Post, relay: Relay, server: FakePubSub
) -> None:
    attributes = {"correlation_id": "cause-7", "stage": "MetadataReady", "tenantId": "somebody-else"}
    draft = Draft(payload={"jobId": "j1", "title": "grün"}, key="j1", attributes=attributes)
    await post.publish_many([draft])

    await post.drain(relay)

    (message,) = server.published(THERE)
    assert json.loads(message.data) == {"jobId": "j1", "title": "grün"}
    assert message.ordering_key == "acme/j1"
    assert dict(message.attributes) == {
        "messageId": str(draft.message_id),
        "topic": "topic",
        "tenantId": "acme",
        "correlationId": "cause-7",
        "stage": "MetadataReady",
    }


async def test_messages_of_a_key_arrive_in_their_order_also_when_one_has_to_wait(
    post: Post, relay: Relay, server: FakePubSub
) -> None:
    await post.publish(*range(6), key="k")
    server.fails("Publish", StatusCode.UNAVAILABLE, StatusCode.RESOURCE_EXHAUSTED)

    for _ in range(3):
        await post.drain(relay)
        await post.make_due()

    assert [json.loads(message.data) for message in server.published(THERE)] == list(range(6))
    assert {message.ordering_key for message in server.published(THERE)} == {"acme/k"}


async def test_what_arrived_although_the_answer_was_lost_comes_again_with_the_same_id(
    post: Post, relay: Relay, server: FakePubSub
) -> None:
    sent = [str(one) for one in await post.publish(1, 2, key="k")]
    server.fails("Publish", Planned(StatusCode.UNAVAILABLE, takes_effect=True))

    await post.drain(relay)
    await post.make_due()
    await post.drain(relay)

    assert ids(server) == [sent[0], sent[0], sent[1]]


@pytest.mark.req("EV-8")
async def test_publishing_is_retried_with_jittered_backoff_up_to_the_maximum_and_then_a_dead_letter(
    post: Post, relay: Relay, server: FakePubSub, said: Said
) -> None:
    """Time is the database's, and passes when the test says so."""
    lost, follows = await post.publish("lost", "follows", key="k")
    server.fails("Publish", *[StatusCode.UNAVAILABLE] * 5)
    before = counted("messages_dead_lettered_total", topic="topic", mode="push", code="UNAVAILABLE")
    waits = []

    for post.jitter in (1.0, 0.0, 0.5, 1.0):
        await relay.run_once()
        assert not await relay.run_once(), "it is not due before its time"
        waits.append(await post.ask(WAIT))
        await post.make_due()
    await post.drain(relay)

    # 1, 2, 4, 8 seconds, of which jitter may take half
    assert waits == pytest.approx([1, 1, 3, 8], abs=0.01)
    async with post.database.tenant(TENANT) as tx:
        (letter,) = await dead_letters(tx)
    assert (letter.message_id, letter.subscription, letter.attempts) == (lost, "pubsub.topic", 5)
    assert letter.reason == f"Pub/Sub answered UNAVAILABLE for {THERE}: planned"
    (dead,) = said.events("message.dead_lettered")
    assert (dead["level"], dead["message_id"], dead["code"]) == ("ERROR", str(lost), "UNAVAILABLE")
    assert counted("messages_dead_lettered_total", topic="topic", mode="push", code="UNAVAILABLE") == before + 1
    assert ids(server) == [str(follows)]


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ({"googclient": "x"}, Code.INVALID_VALUE),
        ({"large": "ä" * 513}, Code.TOO_LARGE),
        ({"n" * 257: "x"}, Code.TOO_LARGE),
        ({f"a{n}": "x" for n in range(98)}, Code.TOO_LARGE),
    ],
    ids=["a name of Google's", "a long value", "a long name", "too many"],
)
async def test_what_pubsub_cannot_carry_is_a_dead_letter_at_once_and_its_key_goes_on(
    post: Post, relay: Relay, server: FakePubSub, attributes: dict[str, str], code: Code
) -> None:
    refused = Draft(payload=1, key="k", attributes=attributes)
    follows = Draft(payload=2, key="k")
    await post.publish_many([refused, follows])

    await post.drain(relay)

    async with post.database.tenant(TENANT) as tx:
        (letter,) = await dead_letters(tx)
    assert (letter.message_id, letter.attempts, letter.code) == (refused.message_id, 1, code)
    assert letter.reason.startswith("Pub/Sub cannot carry it: ")
    assert ids(server) == [str(follows.message_id)]
    assert len(server.calls) == 1


async def test_a_pubsub_that_was_away_is_found_again(post: Post, relay: Relay, server: FakePubSub, said: Said) -> None:
    (message_id,) = await post.publish("m")
    await server.stop()
    await post.drain(relay)
    assert [line["code"] for line in said.events("message.retried")] == ["UNAVAILABLE"]

    await server.start()
    while not server.published(THERE):  # the client has a pause of its own before it connects anew
        await post.make_due_again_after_failure()
        await relay.run_once()

    assert {UUID(one) for one in ids(server)} == {message_id}
    assert server.published(THERE)[0].ordering_key == "", "a message without a key is ordered against nothing"
