"""Submit, in the caller's transaction: the job and its first message are there, or neither."""

from datetime import timedelta

from windrow.contracts.errors import Code, Conflict
from windrow.contracts.scope import Scope
from windrow.media.announcing import Topics
from windrow.media.job import MediaJob
from windrow.media.moving import moved
from windrow.media.rows import as_json, checked_id
from windrow.media.submission import Submission
from windrow.postgres import Transaction, load
from windrow.telemetry import context

Q = load(__package__)


async def submit(
    tx: Transaction, scope: Scope, submission: Submission, *, topics: Topics, job_id: str | None = None
) -> MediaJob:
    """Queue a media job, under an id of the caller's or a new one."""
    job = await adopt(tx, scope, submission, topics=topics, job_id=job_id, lasting=None)
    if job is None:
        raise Conflict(
            f"there is a media job {job_id} already",
            code=Code.ALREADY_EXISTS,
            hint="`windrow media show` tells where it stands",
        )
    return job


async def adopt(
    tx: Transaction,
    scope: Scope,
    submission: Submission,
    *,
    topics: Topics,
    job_id: str | None,
    lasting: timedelta | None,
) -> MediaJob | None:
    """The same for a job that others have made known by an object or a message, taken in hand for so long.

    None if it is there already.
    """
    row = await tx.row(
        Q.insert,
        job_id=None if job_id is None else checked_id(job_id),
        project_id=scope.project_id,
        request_id=submission.request_id,
        media=as_json(submission.media),
        clip=as_json(submission.clip) if submission.clip else None,
        correlation_id=submission.correlation_id or context.correlation_id(),
        lasting=lasting,
    )
    return await moved(tx, topics, row, None)
