"""What is published and what is delivered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from windrow.contracts.retry import RetryPolicy

_OURS = uuid5(NAMESPACE_URL, "windrow:message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message to be published. Without a key it is ordered against nothing; the same id again is the same message."""

    payload: Any
    key: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    message_id: UUID = field(default_factory=uuid4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A published message, as every delivery of it carries it."""

    tenant_id: str
    topic: str
    message_id: UUID
    key: str
    payload: Any
    attributes: Mapping[str, str]
    published_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message in somebody's hand: for which subscription, the how-manieth attempt, and the claim that fences it."""

    message: Message
    subscription: str
    sink: str | None
    position: int
    attempt: int
    claim: UUID
    claimed_by: str
    ack_deadline: timedelta
    policy: RetryPolicy

    @property
    def mode(self) -> str:
        return "push" if self.sink else "pull"


def stable_id(*parts: str) -> UUID:
    """The id of the message that announces just this: the same parts give the same id, so publishing again is harmless."""
    # lengths, so that ("a", "bc") is not ("ab", "c")
    return uuid5(_OURS, "".join(f"{len(part)}:{part}" for part in parts))
