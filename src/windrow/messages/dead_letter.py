"""Dead letters: what a subscription could not deliver, why, and how an operator puts it back or gives it up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.postgres import Transaction, audit, load
from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "dead_letter.sql")

# an audit line names the letters one by one up to here, and counts the rest
_NAMED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """Which message died for which subscription, after how many attempts, and of what."""

    subscription: str
    message_id: UUID
    topic: str
    key: str
    position: int
    attempts: int
    error_class: str
    code: str
    reason: str
    died_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedLetter(DeadLetter):
    """A dead letter with what the message said, redacted."""

    published_at: datetime
    attributes: dict[str, str]
    payload: Any


class LastLetter(NamedTuple):
    """Where a page of letters ends; a moment alone is behind all that died at it."""

    died_at: datetime
    subscription: str | None = None
    message_id: UUID | None = None


async def dead_letters(
    tx: Transaction,
    *,
    subscription: str | None = None,
    topic: str | None = None,
    after: LastLetter | None = None,
    limit: int = 50,
) -> list[DeadLetter]:
    """The latest dead letters first; `after` is the last one of the page before."""
    return await tx.into(
        DeadLetter,
        Q.listed,
        subscription=subscription,
        topic=topic,
        died_at=after.died_at if after else None,
        last_subscription=after.subscription if after else None,
        last_message=after.message_id if after else None,
        limit=limit,
    )


async def show_dead_letter(tx: Transaction, message_id: UUID, *, subscription: str | None = None) -> list[OpenedLetter]:
    """The letters of one message: one for each subscription that could not deliver it."""
    found = await tx.into(OpenedLetter, Q.shown, message_id=message_id, subscription=subscription)
    if not found:
        raise ValidationFailure(
            f"message {message_id} is no dead letter", code=Code.NOT_FOUND, hint="see `windrow dlq list`"
        )
    return [
        replace(letter, attributes=PROCESS.value(letter.attributes), payload=PROCESS.value(letter.payload))
        for letter in found
    ]


async def replay_dead_letters(
    tx: Transaction,
    *,
    actor: Actor,
    message_ids: Sequence[UUID] | None = None,
    subscription: str | None = None,
    reason: str | None = None,
) -> list[DeadLetter]:
    """Put back these letters (or all, or all of one subscription), with a fresh budget; those that were put back.

    A message keeps its id, and goes behind what its key already has in line: its own place in the order has passed.
    """
    back = await tx.into(DeadLetter, Q.put_back, **_choice(message_ids, subscription))
    await _account(tx, actor, "replay", back, subscription, reason)
    tx.after_commit(
        lambda: emit("dead_letters.replayed", letters=len(back), actor=actor.name, subscription=subscription)
    )
    return back


async def discard_dead_letters(
    tx: Transaction,
    *,
    actor: Actor,
    message_ids: Sequence[UUID] | None = None,
    subscription: str | None = None,
    reason: str | None = None,
) -> list[DeadLetter]:
    """Give up these letters (or all, or all of one subscription); those that were given up."""
    gone = await tx.into(DeadLetter, Q.discard, **_choice(message_ids, subscription))
    await _account(tx, actor, "discard", gone, subscription, reason)
    tx.after_commit(
        lambda: emit("dead_letters.discarded", letters=len(gone), actor=actor.name, subscription=subscription)
    )
    return gone


def _choice(message_ids: Sequence[UUID] | None, subscription: str | None) -> dict[str, Any]:
    return {"message_ids": list(message_ids) if message_ids is not None else None, "subscription": subscription}


async def _account(
    tx: Transaction,
    actor: Actor,
    action: str,
    letters: list[DeadLetter],
    subscription: str | None,
    reason: str | None,
) -> None:
    if not letters:
        return
    named = [str(letter.message_id) for letter in letters[:_NAMED]]
    await audit.record(
        tx,
        actor,
        f"dead_letters.{action}",
        f"dead_letters/{subscription or '*'}",
        reason=reason,
        details={"letters": len(letters), "message_ids": named},
    )
