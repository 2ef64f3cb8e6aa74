"""Lanes that are stopped: a batch that fails every time waits in its place for an operator's word."""

from dataclasses import dataclass
from datetime import datetime

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.contracts.scope import Actor
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction, audit, load
from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "stop.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStatus:
    """A lane as it fares."""

    project_id: str
    endpoint_id: str
    lane: str
    epoch: int | None
    pending: int
    pending_items: int
    pending_bytes: int
    oldest_at: datetime | None
    stopped_at: datetime | None
    stopped_seq: int | None
    stopped_code: str | None
    stopped_why: str | None


async def stop(tx: Transaction, lane: Lane, seq: int, error: WindrowError) -> bool:
    """The lane stops at this batch, with the reason; False if the batch was settled meanwhile."""
    why = PROCESS.text(error.message).replace("\0", "\ufffd")[:2000]
    return await tx.execute(Q.stop, **lane.key, seq=seq, code=error.code, why=why) == 1


async def statuses(tx: Transaction, *, project: str | None = None, endpoint: str | None = None) -> list[LaneStatus]:
    """Every lane of the tenant, those that are stopped first."""
    return await tx.into(LaneStatus, Q.statuses, project=project, endpoint=endpoint)


async def retry(tx: Transaction, lane: Lane, *, actor: Actor, reason: str | None = None) -> int:
    """Let a stopped lane try its batch again; the batch's seq."""
    seq = await _resume(tx, lane)
    await _record(tx, lane, seq, "retry", actor, reason)
    return seq


async def discard(tx: Transaction, lane: Lane, *, actor: Actor, reason: str) -> int:
    """Set the batch aside at which a lane is stopped, and let the lane go on behind it; the batch's seq."""
    seq = await _resume(tx, lane)
    if not await tx.execute(Q.discard, **lane.key, seq=seq):
        raise _not_stopped(lane)
    await _record(tx, lane, seq, "discard", actor, reason)
    return seq


async def _resume(tx: Transaction, lane: Lane) -> int:
    seq: int | None = await tx.value(Q.resume, **lane.key)
    if seq is None:
        raise _not_stopped(lane)
    return seq


async def _record(tx: Transaction, lane: Lane, seq: int, action: str, actor: Actor, reason: str | None) -> None:
    await audit.record(
        tx,
        actor,
        f"outbox.{action}",
        f"lane/{lane}",
        project_id=lane.scope.project_id,
        reason=reason,
        details={"seq": seq},
    )
    tx.after_commit(lambda: emit("lane.resumed", lane=str(lane), seq=seq, action=action, actor=actor.name))


def _not_stopped(lane: Lane) -> ValidationFailure:
    return ValidationFailure(
        f"lane {lane} is not stopped", code=Code.NOT_FOUND, hint="`windrow outbox status` shows which are"
    )
