"""Jobs, read: by people, by the console, by a status endpoint."""

import uuid

from windrow.contracts.errors import Code, ValidationFailure
from windrow.jobs.job import Count, Job, JobEvent, Status
from windrow.postgres import Transaction, load

Q = load(__package__)


async def find(tx: Transaction, job_id: str) -> Job | None:
    """One job of the tenant."""
    found = await tx.into(Job, Q.find, id=checked_id(job_id))
    return found[0] if found else None


async def listed(
    tx: Transaction,
    *,
    project: str | None = None,
    status: Status | None = None,
    kind: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Job]:
    """The newest first; `before` is the last id of the page before."""
    last = checked_id(before) if before is not None else None
    return await tx.into(Job, Q.listed, project=project, status=status, named=kind, before=last, limit=limit)


async def events(tx: Transaction, job_id: str, *, after: int = 0) -> list[JobEvent]:
    """What befell a job, in order; `after` is the id of the last event that was seen."""
    return await tx.into(JobEvent, Q.events, id=checked_id(job_id), after=after)


async def counts(tx: Transaction) -> list[Count]:
    """How many jobs of each kind stand where."""
    return await tx.into(Count, Q.counts)


def checked_id(job_id: str) -> str:
    """A job id as it is written by us; whatever cannot be one is refused before the database is asked."""
    try:
        return str(uuid.UUID(job_id))
    except ValueError:
        raise ValidationFailure(
            f"{job_id[:80]!r} is no job id", code=Code.INVALID, hint="`windrow jobs list` shows them"
        ) from None


def not_found(job_id: str) -> ValidationFailure:
    return ValidationFailure(f"there is no job {job_id}", code=Code.NOT_FOUND, hint="`windrow jobs list` shows them")
