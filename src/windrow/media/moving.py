"""A media job moves: one statement that names what was seen, and what it says, in one transaction."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from windrow.contracts.errors import Code, Conflict
from windrow.media.announcing import Topics, announce
from windrow.media.job import MediaJob
from windrow.media.rows import as_json, media_job
from windrow.media.snapshot import Snapshot
from windrow.media.stage import WAYS, Stage
from windrow.postgres import Transaction, load
from windrow.telemetry.catalogue import media as telemetry

Q = load(__package__)


@dataclass(frozen=True, slots=True)
class Change:
    """Where to, and what the row learns by it."""

    to: Stage
    snapshot: Snapshot | None = None
    runtime_job_id: str | None = None
    error: dict[str, Any] | None = None


async def move(tx: Transaction, topics: Topics, seen: MediaJob, change: Change) -> MediaJob | None:
    """Move the job from where it was seen; None: it is not there any more, and nothing was written."""
    check_way(seen, change.to)
    row = await tx.row(
        Q.move,
        job_id=seen.job.job_id,
        stage=seen.stage,
        moves=seen.moves,
        to=change.to,
        snapshot=as_json(change.snapshot) if change.snapshot else None,
        runtime_job_id=change.runtime_job_id,
        error=as_json(change.error) if change.error else None,
    )
    return await moved(tx, topics, row, seen.stage)


async def requeue(tx: Transaction, topics: Topics, seen: MediaJob) -> MediaJob | None:
    """From the beginning; None as with `move`."""
    check_way(seen, Stage.QUEUED)
    row = await tx.row(Q.requeue, job_id=seen.job.job_id, stage=seen.stage, moves=seen.moves)
    return await moved(tx, topics, row, seen.stage)


async def moved(tx: Transaction, topics: Topics, row: dict[str, Any] | None, before: Stage | None) -> MediaJob | None:
    """The job that a statement has moved, if it has: said in the same transaction."""
    if row is None:
        return None
    job = media_job(row)
    await announce(tx, topics, job, before)
    tx.after_commit(partial(telemetry.MOVES.add, 1, stage=job.stage))
    return job


def check_way(seen: MediaJob, to: Stage) -> None:
    """Refuse a way that there is not."""
    if to not in WAYS[seen.stage]:
        raise Conflict(
            f"media job {seen.job.job_id} is {seen.stage}, from where there is no way to {to}",
            code=Code.CAS_MISMATCH,
            hint="`windrow media show` tells where it stands",
        )
