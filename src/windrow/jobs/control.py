"""What a person may do to a job: cancel it, or have it tried again. Both leave a line in the audit trail."""

from windrow.contracts.errors import Code, Conflict
from windrow.contracts.scope import Actor
from windrow.jobs.enqueue import MAX_ATTEMPTS
from windrow.jobs.job import Status
from windrow.jobs.reading import checked_id, find, not_found
from windrow.postgres import Transaction, audit, load

Q = load(__package__)


async def cancel(tx: Transaction, job_id: str, *, actor: Actor, reason: str | None = None) -> Status:
    """End a job. One that waits is cancelled when this commits; one in hand (`processing`) is when its worker has stopped."""
    row = await tx.row(Q.cancel, id=checked_id(job_id), actor=actor.name)
    if row is None:
        return await _already(tx, job_id)
    await audit.record(tx, actor, "job.cancel", f"job/{job_id}", project_id=row["project_id"], reason=reason)
    return Status(row["status"])


async def retry(
    tx: Transaction, job_id: str, *, actor: Actor, reason: str | None = None, tries: int = MAX_ATTEMPTS
) -> None:
    """Queue a job again that has failed or was cancelled, with so many more tries."""
    row = await tx.row(Q.retry, id=checked_id(job_id), actor=actor.name, tries=tries)
    if row is None:
        found = await find(tx, job_id)
        if found is None:
            raise not_found(job_id)
        if found.max_attempts == 0:
            raise Conflict(
                f"job {job_id} ended long ago and is being removed", code=Code.CAS_MISMATCH, hint="submit it anew"
            )
        raise Conflict(
            f"job {job_id} is {found.status}",
            code=Code.CAS_MISMATCH,
            hint="only a failed or cancelled job is tried again",
        )
    await audit.record(tx, actor, "job.retry", f"job/{job_id}", project_id=row["project_id"], reason=reason)


async def _already(tx: Transaction, job_id: str) -> Status:
    """Asked for before, or too late."""
    found = await find(tx, job_id)
    if found is None:
        raise not_found(job_id)
    if found.status in {Status.DONE, Status.FAILED}:
        raise Conflict(
            f"job {job_id} has ended: {found.status}", code=Code.CAS_MISMATCH, hint="there is nothing to cancel"
        )
    return found.status
