"""Whether notices have arrived: at the log, and at the webhook of their channel; and if not, why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from windrow.notify.channels import BACKLOG, log_subscription
from windrow.notify.notice import Channel
from windrow.notify.reading import Told
from windrow.notify.telling import topic_of
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "arrival.sql")

_LOGS = {log_subscription(channel).name for channel in Channel}
_LONGEST_WHY = 300
# lines that the router has not seen are few, or very many: then the page need not know which
_MOST_UNROUTED = 5000


class State(StrEnum):
    """How far a notice has come."""

    ARRIVED = "arrived"
    WAITING = "waiting"
    FAILING = "failing"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A notice at one of its ends. `why` and `attempts` are there while it fails, and when it was given up."""

    notice_id: UUID
    sink: str
    state: State
    attempts: int
    why: str | None
    at: datetime | None


async def arrivals(tx: Transaction, told: Sequence[Told]) -> dict[UUID, list[Arrival]]:
    """Of each of these notices, how far it has come at each end that its channel had then. None: nobody listens yet."""
    found: dict[UUID, list[Arrival]] = {each.notice_id: [] for each in told}
    rows = await tx.rows(
        Q.arrivals,
        notices=[each.notice_id for each in told],
        topics=[topic_of(each.notice.channel) for each in told],
        most=_MOST_UNROUTED,
    )
    for row in rows:
        if _was_there(row):
            found[row["message_id"]].append(_arrival(row))
    return found


def _was_there(row: Row) -> bool:
    """A webhook hears nothing of what was long ago when it was set."""
    return row["subscription"] in _LOGS or row["published_at"] >= row["since"] - BACKLOG


def _arrival(row: Row) -> Arrival:
    state = _state(row)
    why, attempts, at = row["error"], row["attempts"], row["failed_at"]
    if state is State.LOST:
        why, attempts, at = row["reason"], row["tried"], row["died_at"]
    elif state is not State.FAILING:
        why, attempts, at = None, 0, None
    return Arrival(
        notice_id=row["message_id"],
        sink="log" if row["subscription"] in _LOGS else "webhook",
        state=state,
        attempts=attempts,
        why=PROCESS.text(why)[:_LONGEST_WHY] if why else None,
        at=at,
    )


def _state(row: Row) -> State:
    if row["died_at"]:
        return State.LOST
    if row["ahead"]:
        return State.FAILING if row["error"] else State.WAITING
    return State.WAITING if row["unrouted"] else State.ARRIVED
