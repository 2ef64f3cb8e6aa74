"""The webhook sink: a POST for each delivery, with the message's id in its headers and, given a secret, signed.

windrow-message-id   stays the same through retries: the receiver drops what it has seen
windrow-topic        windrow-key (percent-encoded)   windrow-attempt
windrow-timestamp    seconds since 1970
windrow-signature    v1=<hex HMAC-SHA256 of "<message id>.<timestamp>.<body>">
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import quote

from windrow.messages.message import Delivery, Message


class Poster(Protocol):
    """What is needed of an HTTP client: it raises one of our errors for everything but success."""

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes, idempotent: bool) -> object:
        """Send the body to the address."""


class SigningSecret(Protocol):
    """A secret that is shown only where it is used, such as the vault's."""

    def reveal(self) -> str:
        """The value itself."""


def as_json(message: Message) -> bytes:
    """The payload alone: what the message is about is in the headers."""
    return json.dumps(message.payload, ensure_ascii=False, separators=(",", ":")).encode()


class Webhook:
    """Delivers to one address."""

    def __init__(
        self,
        client: Poster,
        url: str,
        *,
        secret: SigningSecret | None = None,
        body: Callable[[Message], bytes] = as_json,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client, self._url, self._secret, self._body, self._now = client, url, secret, body, now

    async def deliver(self, delivery: Delivery) -> None:
        """Send it; an answer that is no success raises."""
        body = self._body(delivery.message)
        # the id makes a second arrival harmless, so a hiccup may be tried again at once
        await self._client.post(self._url, headers=self._headers(delivery, body), body=body, idempotent=True)

    def _headers(self, delivery: Delivery, body: bytes) -> dict[str, str]:
        message, timestamp = delivery.message, str(int(self._now()))
        headers = {
            "content-type": "application/json",
            "windrow-message-id": str(message.message_id),
            "windrow-topic": message.topic,
            # a key may hold what no header may: line breaks, other alphabets
            "windrow-key": quote(message.key, safe=""),
            "windrow-attempt": str(delivery.attempt),
            "windrow-timestamp": timestamp,
        }
        if self._secret is not None:
            signed = f"{message.message_id}.{timestamp}.".encode() + body
            digest = hmac.new(self._secret.reveal().encode(), signed, hashlib.sha256).hexdigest()
            headers["windrow-signature"] = f"v1={digest}"
        return headers
