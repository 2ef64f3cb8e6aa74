"""Topics: where messages are published. One that nobody declared begins with its first message."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.postgres import Transaction, load
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "topic.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic as it stands: messages kept, those not yet routed among them, and how many are dead letters of somebody."""

    name: str
    keep: timedelta | None
    last_position: int
    messages: int
    unrouted: int
    dead_letters: int
    oldest_at: datetime | None
    newest_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeked:
    """A message as it is shown to a person: redacted. It has no position until it is routed."""

    position: int | None
    message_id: UUID
    key: str
    published_at: datetime
    attributes: dict[str, str]
    payload: Any


async def declare(tx: Transaction, topic: str, *, keep: timedelta | None = None) -> None:
    """See that the topic is there; `keep` is how long its delivered messages stay, the process's default when not said."""
    await tx.execute(Q.declare, topic=checked_name("topic", topic), keep=keep)


async def topics(tx: Transaction, *, counted: int | None = None) -> list[Topic]:
    """Every topic of the tenant; of a long log no more lines are counted, where that is said."""
    return await tx.into(Topic, Q.listed, counted=counted)


async def peek(
    tx: Transaction, topic: str, *, key: str | None = None, before: int | None = None, limit: int = 20
) -> list[Peeked]:
    """The newest messages first, of one key if given; `before` a position goes on with a page."""
    found = await tx.into(Peeked, Q.peeked, topic=topic, key=key, before=before, limit=limit)
    if not found and not await tx.value(Q.is_topic, topic=topic):
        raise ValidationFailure(
            f"there is no topic {topic[:80]!r}", code=Code.NOT_FOUND, hint="see `windrow topics list`"
        )
    return [replace(one, attributes=PROCESS.value(one.attributes), payload=PROCESS.value(one.payload)) for one in found]
