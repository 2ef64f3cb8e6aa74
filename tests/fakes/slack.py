"""A chat that takes incoming webhooks, faithful on the wire: what Slack answers to what it does not like, in its words."""

import asyncio
import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.fakes.web import Answer, Exchange, Web, answer

PATH = "/services/T0AAAAAAA/B0BBBBBBB/cccccccccccccccccccccccc"
_MOST_ATTACHMENTS = 100


@dataclass(frozen=True)
class Posted:
    """A message that was shown in the channel."""

    message_id: str
    attempt: int
    document: dict[str, Any]

    @property
    def attachment(self) -> dict[str, Any]:
        only: dict[str, Any] = self.document["attachments"][0]
        return only

    @property
    def fields(self) -> dict[str, str]:
        return {field["title"]: field["value"] for field in self.attachment["fields"]}


class Slack:
    """`async with Slack() as slack`: what it was sent is in `posted`; `ails` makes it fail before it gets well again."""

    def __init__(self) -> None:
        self.web = Web()
        self.posted: list[Posted] = []
        self.tries: list[str] = []
        self._troubles: list[Answer] = []
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        await self.web.__aenter__()
        self.web.on(PATH, self._take)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.web.__aexit__(kind, error, trace)

    @property
    def url(self) -> str:
        return self.web.url(PATH)

    def ails(self, *troubles: Answer) -> None:
        """Answer so, one after the other, before the next message is taken."""
        self._troubles = list(troubles)

    def is_removed(self) -> None:
        """Somebody has deleted the webhook."""
        self.web.on(PATH, answer(404, b"no_service"))

    async def heard(self, count: int) -> list[Posted]:
        """Wait until so many messages were taken and answered."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.posted) >= count)
        return self.posted

    async def _take(self, exchange: Exchange) -> None:
        self.tries.append(exchange.request.headers["windrow-message-id"])
        if self._troubles:
            trouble = self._troubles.pop(0)
            await (exchange.send(trouble) if isinstance(trouble, bytes) else trouble(exchange))
            return
        refusal = _refusal(exchange)
        if refusal is not None:
            await exchange.send(answer(400, refusal, {"content-type": "text/plain"}))
            return
        headers = exchange.request.headers
        posted = Posted(
            headers["windrow-message-id"], int(headers["windrow-attempt"]), json.loads(exchange.request.body)
        )
        self.posted.append(posted)
        try:
            await exchange.send(answer(200, b"ok", {"content-type": "text/html"}))
        finally:
            async with self._changed:
                self._changed.notify_all()


def _refusal(exchange: Exchange) -> bytes | None:
    """What a real one would say."""
    request = exchange.request
    if request.method != "POST" or request.headers.get("content-type") != "application/json":
        return b"invalid_payload"
    try:
        document = json.loads(request.body.decode())
    except ValueError:
        return b"invalid_payload"
    if not isinstance(document, dict) or not isinstance(document.get("text"), str) or not document["text"]:
        return b"no_text"
    attachments = document.get("attachments", [])
    return b"too_many_attachments" if len(attachments) > _MOST_ATTACHMENTS else None
