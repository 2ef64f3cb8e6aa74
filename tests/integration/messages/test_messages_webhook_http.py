"""The webhook over real HTTP: what the receiver sees, and what its answers come to."""

import hashlib
import hmac
from collections.abc import AsyncIterator

import pytest
from tests.conftest import Said
from tests.fakes.web import Web, answer, reset
from tests.integration.messages.post import TENANT, Post

from windrow.contracts.retry import NEVER
from windrow.http import HttpClient, HttpPolicy
from windrow.messages import Relay, Webhook, dead_letters
from windrow.postgres.wakeups import Wakeups
from windrow.vault import Secret

CANARY = "canary-signing-secret"


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as server:
        yield server


@pytest.fixture
async def relay(post: Post, web: Web) -> AsyncIterator[Relay]:
    async with HttpClient(HttpPolicy(source="webhook", allow=(web.door,), hiccups=NEVER)) as client:
        hook = Webhook(client, web.url("/hook"), secret=Secret(CANARY))
        yield Relay(post.database, {"recorder": hook}, Wakeups(post.database.url))


async def test_the_receiver_sees_the_same_id_until_it_says_yes_and_can_check_the_signature(
    post: Post, web: Web, relay: Relay, said: Said
) -> None:
    await post.subscribe()
    (message_id,) = await post.publish({"text": "grün"}, key="schlüssel\n1")
    web.on("/hook", answer(502), reset, answer(401), answer(204))

    for _ in range(4):
        await relay.run_once()
        await post.make_due()
    await post.drain(relay)

    assert len(web.requests) == 4
    assert {request.headers["windrow-message-id"] for request in web.requests} == {str(message_id)}
    assert [request.headers["windrow-attempt"] for request in web.requests] == ["1", "2", "3", "4"]
    last = web.requests[-1]
    assert last.headers["windrow-key"] == "schl%C3%BCssel%0A1"
    signed = f"{message_id}.{last.headers['windrow-timestamp']}.".encode() + last.body
    expected = hmac.new(CANARY.encode(), signed, hashlib.sha256).hexdigest()
    assert last.headers["windrow-signature"] == f"v1={expected}"
    assert [line["code"] for line in said.events("message.retried")] == ["UNAVAILABLE", "NETWORK", "UNAUTHORIZED"]
    assert CANARY not in "".join(said.raw)


async def test_a_receiver_that_refuses_makes_a_dead_letter_and_one_that_is_busy_is_given_time(
    post: Post, web: Web, relay: Relay
) -> None:
    await post.subscribe()
    await post.publish("refused", "later", key="k")
    web.on("/hook", answer(422, b"no thanks"), answer(429, headers={"Retry-After": "37"}), answer(200))

    await post.drain(relay)

    async with post.database.tenant(TENANT) as tx:
        (letter,) = await dead_letters(tx)
    assert letter.code == "REFUSED"
    assert await post.ask("SELECT round(extract(epoch FROM due_at - failed_at)) FROM strands") == 37
