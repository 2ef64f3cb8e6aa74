"""The row of a media job: read, claimed, put off. What changes its stage is in `moving`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.retry import LONGEST_WORD
from windrow.media.job import ClipWish, Media, MediaJob, ProcessingJob, is_job_id
from windrow.media.snapshot import Snapshot
from windrow.media.stage import Stage
from windrow.postgres import Database, Transaction, load

Q = load(__package__)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A queued job in one worker's hand. `until` is also what the claim is known by: no other has the same end."""

    job: MediaJob
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """When a job is taken up again: after `delay`, and not before `until`; `counted` when it was a failed attempt."""

    delay: timedelta
    until: datetime | None = None
    counted: bool = True


@dataclass(frozen=True, slots=True)
class PutOff:
    """Until when, and how many seconds that are by the database's clock."""

    not_before: datetime
    seconds: float


async def find(tx: Transaction, job_id: str) -> MediaJob | None:
    """One job of the tenant."""
    row = await tx.row(Q.find, job_id=checked_id(job_id))
    return media_job(row) if row else None


async def get(tx: Transaction, job_id: str) -> MediaJob:
    """One job of the tenant, which must be there."""
    found = await find(tx, job_id)
    if found is None:
        raise ValidationFailure(
            f"there is no media job {job_id}", code=Code.NOT_FOUND, hint="`windrow media list` shows them"
        )
    return found


async def claim(database: Database, tenant_id: str, job_id: str, lasting: timedelta) -> Claimed | None:
    """Take a queued job in hand; None: it is not there, not queued, in another's hand, or waits for its next try."""
    row = await database.row(Q.claim, tenant_id=tenant_id, job_id=job_id, lasting=lasting)
    return claim_of(media_job(row)) if row else None


def claim_of(job: MediaJob) -> Claimed:
    """The claim of whoever has just written it."""
    assert job.claimed_until, "a claim has an end"
    return Claimed(job, job.claimed_until)


async def holds(tx: Transaction, claimed: Claimed) -> bool:
    """Whether it is still in this hand, and stays there until this commits."""
    return bool(await tx.value(Q.hold, job_id=claimed.job.job.job_id, claimed_until=claimed.until))


async def release(tx: Transaction, claimed: Claimed) -> None:
    """Let go of it."""
    await tx.execute(Q.release, job_id=claimed.job.job.job_id, claimed_until=claimed.until)


async def put_off(tx: Transaction, claimed: Claimed, wait: Wait, error: dict[str, Any]) -> PutOff | None:
    """Let go of it until later; None: it was not in this hand any more, and nothing is written."""
    row = await tx.row(
        Q.put_off,
        job_id=claimed.job.job.job_id,
        claimed_until=claimed.until,
        counted=wait.counted,
        delay=wait.delay,
        until=wait.until,
        longest=LONGEST_WORD,
        error=as_json(error),
    )
    return PutOff(row["not_before"], row["seconds"]) if row else None


def media_job(row: dict[str, Any]) -> MediaJob:
    """The row as it was read."""
    try:
        return _media_job(row)
    except msgspec.ValidationError as error:
        raise ValidationFailure(
            f"the row of the media job {row['job_id']} cannot be read: {error}",
            code=Code.UNREADABLE,
            hint="it was written by another version; `windrow media retry` enriches a failed one anew",
        ) from error


def _media_job(row: dict[str, Any]) -> MediaJob:
    stage, clip, snapshot, runtime = Stage(row["stage"]), row["clip"], row["snapshot"], row["runtime_job_id"]
    return MediaJob(
        tenant_id=row["tenant_id"],
        project_id=row["project_id"],
        stage=stage,
        attempts=row["attempts"],
        moves=row["moves"],
        mirrored=row["mirrored"],
        not_before=row["not_before"],
        claimed_until=row["claimed_until"],
        job=ProcessingJob(
            job_id=row["job_id"],
            request_id=row["request_id"],
            status=stage,
            media=msgspec.convert(row["media"], Media),
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            correlation_id=row["correlation_id"],
            clip=msgspec.convert(clip, ClipWish) if clip else None,
            metadata_version=row["metadata_version"],
            metadata_snapshot=msgspec.convert(snapshot, Snapshot) if snapshot else None,
            runtime_job_id=str(runtime) if runtime else None,
            error=row["error"],
        ),
    )


def as_json(value: Any) -> str:
    """As the statements take it."""
    return msgspec.json.encode(value).decode()


def checked_id(job_id: str) -> str:
    """An id that could be a job's; whatever cannot is refused before the database is asked."""
    if not is_job_id(job_id):
        raise ValidationFailure(
            f"{job_id[:80]!r} is no id of a media job",
            code=Code.INVALID,
            hint="up to 128 letters, digits, `-` and `_`, beginning with a letter or digit",
        )
    return job_id
