"""Media jobs, read: by people, by the console, by a status endpoint."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow import jobs
from windrow.media.job import MediaEvent, MediaJob
from windrow.media.rows import checked_id, get, media_job
from windrow.media.stage import Stage
from windrow.postgres import Transaction, load

Q = load(__package__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One line of a timeline. `of` is `media` for a change of stage, `job` for what befell the job that works on it."""

    at: datetime
    of: str
    event: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Last:
    """The last job of a page, after which the next one begins."""

    created_at: datetime
    job_id: str


async def listed(
    tx: Transaction,
    *,
    project: str | None = None,
    stage: Stage | None = None,
    media_type: str | None = None,
    after: Last | None = None,
    limit: int = 50,
) -> list[MediaJob]:
    """The newest first; `after` is the last one of the page before."""
    page = {"at": after.created_at if after else None, "job_id": after.job_id if after else None}
    found = await tx.rows(Q.listed, project_id=project, stage=stage, media_type=media_type, **page, limit=limit)
    return [media_job(row) for row in found]


async def counts(tx: Transaction) -> dict[Stage, int]:
    """How many stand where."""
    return {Stage(row["stage"]): row["jobs"] for row in await tx.rows(Q.counts)}


async def events(tx: Transaction, job_id: str) -> list[MediaEvent]:
    """Its changes of stage, in order."""
    return await tx.into(MediaEvent, Q.events, job_id=checked_id(job_id))


async def timeline(tx: Transaction, job_id: str) -> list[Happened]:
    """All that befell it: its own changes, and what befell each job of the runtime that has worked on it."""
    await get(tx, job_id)
    changes = await events(tx, job_id)
    runtime = {change.details["runtimeJobId"]: None for change in changes if "runtimeJobId" in change.details}
    told = [
        Happened(at=change.at, of="media", event=change.to_stage, details={"from": change.from_stage} | change.details)
        for change in changes
    ]
    for each in runtime:
        told += [
            Happened(at=event.at, of="job", event=event.event, details={"jobId": each} | (event.details or {}))
            for event in await jobs.events(tx, each)
        ]
    return sorted(told, key=lambda one: one.at)
