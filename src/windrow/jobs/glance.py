"""Many jobs at a glance, and what befell one of them: bounded, so that a page may ask for it every few seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from windrow.jobs.job import JobEvent, Status
from windrow.jobs.reading import checked_id
from windrow.postgres import Transaction, load

Q = load(__package__, "glance.sql")

# beyond this nobody counts; and of those that ended in a day, so many are drawn
MOST, MOST_ENDED = 1000, 10_000
LATEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What a list shows of a job. `source` is what it works on, as it was asked for: not yet redacted.

    `silent`: its worker has not been heard of for longer than its lease.
    """

    job_id: str
    kind: str
    source: str | None
    status: Status
    run_at: datetime | None
    attempt_count: int
    max_attempts: int
    worker: str | None
    last_heartbeat_at: datetime | None
    silent: bool | None
    progress: float | None
    has_artifact: bool
    cancel_requested_at: datetime | None
    failure_code: str | None
    error_code: str | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How many ended so within an hour."""

    hour: datetime
    status: str
    jobs: int


async def listed(
    tx: Transaction,
    project: str,
    *,
    status: Status | None = None,
    kind: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Glimpse]:
    """The newest first; `before` is the last id of the page before."""
    last = checked_id(before) if before is not None else None
    return await tx.into(Glimpse, Q.listed, project=project, status=status, named=kind, before=last, limit=limit)


async def some(tx: Transaction, project: str, job_ids: Sequence[str]) -> list[Glimpse]:
    """Those of these that are still there, the newest first."""
    return await tx.into(Glimpse, Q.some, project=project, ids=[checked_id(each) for each in job_ids])


async def standing(tx: Transaction, project: str, *, kind: str | None = None) -> dict[Status, int]:
    """How many are under way or were given up; `MOST` means that many or more. What has ended otherwise nobody counts."""
    row = await tx.row(Q.standing, project=project, named=kind, most=MOST)
    assert row, "a row of counts"
    return {status: row[status] for status in Status if status in row}


async def ended(tx: Transaction, project: str) -> list[Ended]:
    """What ended in the last day, hour by hour."""
    return await tx.into(Ended, Q.ended, project=project, most=MOST_ENDED)


async def kinds(tx: Transaction, project: str) -> list[str]:
    """The kinds of jobs that there were lately."""
    return [row["kind"] for row in await tx.rows(Q.kinds, project=project)]


async def befell(tx: Transaction, job_id: str) -> list[JobEvent]:
    """What befell a job, in order, without its progress; of very much, the latest."""
    found = await tx.into(JobEvent, Q.befell, id=checked_id(job_id), limit=LATEST)
    return found[::-1]
