"""What a person may do to a media job: cancel it, or have it begun anew. Both leave a line in the audit trail."""

from windrow import jobs
from windrow.contracts.errors import Code, Conflict
from windrow.contracts.scope import Actor
from windrow.media.announcing import Topics
from windrow.media.job import MediaJob
from windrow.media.moving import Change, check_way, move, requeue
from windrow.media.rows import get
from windrow.media.stage import Stage
from windrow.postgres import Transaction, audit


async def cancel(tx: Transaction, job_id: str, *, topics: Topics, actor: Actor, reason: str | None = None) -> MediaJob:
    """End a job. One that is being processed stays so until its worker has stopped, and the conductor has seen that."""
    seen = await get(tx, job_id)
    if seen.stage is Stage.CANCELLED:
        return seen
    check_way(seen, Stage.CANCELLED)
    if seen.job.runtime_job_id and seen.stage is Stage.PROCESSING:
        status = await jobs.cancel(tx, seen.job.runtime_job_id, actor=actor, reason=reason)
        if status is not jobs.Status.CANCELLED:
            return seen
    return await _recorded(tx, await move(tx, topics, seen, Change(Stage.CANCELLED)), seen, "cancel", actor, reason)


async def retry(tx: Transaction, job_id: str, *, topics: Topics, actor: Actor, reason: str | None = None) -> MediaJob:
    """Begin a job anew that has failed or was cancelled, with all of its attempts."""
    seen = await get(tx, job_id)
    return await _recorded(tx, await requeue(tx, topics, seen), seen, "retry", actor, reason)


async def _recorded(
    tx: Transaction, moved: MediaJob | None, seen: MediaJob, action: str, actor: Actor, reason: str | None
) -> MediaJob:
    job_id = seen.job.job_id
    if moved is None:
        raise Conflict(
            f"media job {job_id} has moved on meanwhile", code=Code.CAS_MISMATCH, hint="look at it, then try again"
        )
    await audit.record(
        tx,
        actor,
        f"media.{action}",
        f"media/{job_id}",
        before={"stage": seen.stage},
        after={"stage": moved.stage},
        project_id=seen.project_id,
        reason=reason,
    )
    return moved
