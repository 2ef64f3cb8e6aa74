"""What is pulled from a subscription of Pub/Sub."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledMessage:
    """A message in our hand. `attempt` is known only where the subscription has a dead letter topic."""

    message_id: str
    data: bytes
    attributes: Mapping[str, str]
    ordering_key: str
    published_at: datetime
    attempt: int | None
    ack_id: str = field(repr=False)

    @classmethod
    def of(cls, received: Any) -> "PulledMessage":
        """From Google's type."""
        message = received.message
        return cls(
            message_id=message.message_id,
            data=message.data,
            attributes=dict(message.attributes),
            ordering_key=message.ordering_key,
            published_at=message.publish_time,
            attempt=received.delivery_attempt or None,
            ack_id=received.ack_id,
        )


def strands(messages: Iterable[PulledMessage]) -> list[list[PulledMessage]]:
    """Those of one ordering key together, in their order; one without a key waits for nobody."""
    found: dict[str, list[PulledMessage]] = {}
    for message in messages:
        found.setdefault(message.ordering_key or f"\0{message.ack_id}", []).append(message)
    return list(found.values())
