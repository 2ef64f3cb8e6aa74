"""Publishing: rows in the transaction of the change that they announce.

Publish after the change, not before it: the lock on what changed then puts the numbers of a key's messages into the
order in which their transactions commit (docs/explanation/messages.md).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from windrow.contracts.scope import checked_name
from windrow.messages.content import attributes_text, checked_key, payload_text
from windrow.messages.message import Draft
from windrow.postgres import Transaction, load
from windrow.telemetry import context

Q = load(__package__, "publishing.sql")

# what one statement carries at most, so that a bulk publish of large payloads does not build one huge parameter
_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Row:
    message_id: UUID
    key: str
    payload: str
    attributes: str


async def publish(
    tx: Transaction,
    topic: str,
    payload: Any,
    *,
    key: str | None = None,
    attributes: Mapping[str, str] | None = None,
    message_id: UUID | None = None,
) -> UUID:
    """Announce something in the caller's transaction; the message's id. An id that was published before changes nothing."""
    draft = Draft(payload=payload, key=key, attributes=attributes or {}, message_id=message_id or uuid4())
    await publish_many(tx, topic, [draft])
    return draft.message_id


async def publish_many(tx: Transaction, topic: str, drafts: Iterable[Draft]) -> int:
    """Announce many things at once, in their order; how many were new. Nothing is written if one of them is refused."""
    checked_name("topic", topic)
    rows: dict[UUID, _Row] = {}
    for draft in drafts:
        # the first of an id wins, as it does between transactions
        rows.setdefault(draft.message_id, _row(draft))
    new = 0
    for chunk in _chunks(rows.values()):
        new += await tx.value(
            Q.append,
            topic=topic,
            ids=[row.message_id for row in chunk],
            keys=[row.key for row in chunk],
            payloads=[row.payload for row in chunk],
            attributes=[row.attributes for row in chunk],
        )
    return new


def _row(draft: Draft) -> _Row:
    key = checked_key(draft.key) if draft.key is not None else str(draft.message_id)
    cause = context.current().get("correlation_id")
    known = {"correlation_id": cause} if cause else {}
    return _Row(draft.message_id, key, payload_text(draft.payload), attributes_text(known | dict(draft.attributes)))


def _chunks(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    chunk: list[_Row] = []
    room = _BYTES
    for row in rows:
        size = len(row.payload) + len(row.attributes)
        if chunk and size > room:
            yield chunk
            chunk, room = [], _BYTES
        chunk.append(row)
        room -= size
    if chunk:
        yield chunk
