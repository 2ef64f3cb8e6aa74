"""The webhook's request: the id in the headers, a key that cannot break out of its header, and the signature."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from windrow.contracts.retry import NEVER
from windrow.messages import Delivery, Message, Webhook
from windrow.vault import Secret

ID = UUID("7d444840-9dc0-11d1-b245-5ffdce74fad2")


class Posted:
    """A client that remembers what it was asked to send."""

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes, idempotent: bool) -> object:
        self.url, self.headers, self.body, self.idempotent = url, headers, body, idempotent
        return None


def delivery(payload: Any = None, key: str = "k") -> Delivery:
    message = Message(
        tenant_id="acme",
        topic="jobs",
        message_id=ID,
        key=key,
        payload=payload,
        attributes={},
        published_at=datetime(2030, 1, 1, tzinfo=UTC),
    )
    return Delivery(
        message=message,
        subscription="hook",
        sink="webhook",
        position=1,
        attempt=3,
        claim=ID,
        claimed_by="relay",
        ack_deadline=timedelta(seconds=30),
        policy=NEVER,
    )


async def test_the_id_stays_in_the_headers_and_the_payload_is_the_body() -> None:
    client = Posted()

    await Webhook(client, "https://example.org/hook", now=lambda: 1.9).deliver(delivery({"text": "grün"}))

    assert client.url == "https://example.org/hook"
    assert json.loads(client.body) == {"text": "grün"}
    assert client.idempotent
    assert client.headers == {
        "content-type": "application/json",
        "windrow-message-id": str(ID),
        "windrow-topic": "jobs",
        "windrow-key": "k",
        "windrow-attempt": "3",
        "windrow-timestamp": "1",
    }


async def test_a_key_cannot_break_out_of_its_header() -> None:
    client = Posted()

    await Webhook(client, "https://example.org").deliver(delivery(key="a\r\nhost: evil/ü"))

    assert client.headers["windrow-key"] == "a%0D%0Ahost%3A%20evil%2F%C3%BC"


async def test_with_a_secret_id_time_and_body_are_signed() -> None:
    client = Posted()

    await Webhook(client, "https://example.org", secret=Secret("canary-of-the-hook"), now=lambda: 7).deliver(
        delivery([1])
    )

    expected = hmac.new(b"canary-of-the-hook", f"{ID}.7.[1]".encode(), hashlib.sha256).hexdigest()
    assert client.headers["windrow-signature"] == f"v1={expected}"
    assert "canary-of-the-hook" not in repr(client.headers)


async def test_another_body_can_be_made_of_the_message() -> None:
    client = Posted()

    await Webhook(client, "https://example.org", body=lambda message: message.topic.encode()).deliver(delivery())

    assert client.body == b"jobs"
