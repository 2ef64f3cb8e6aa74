"""A media job as it is read from its row, and as it is written into objects and messages."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from windrow.contracts.scope import Scope
from windrow.media.errors import DecodeMessageError
from windrow.media.snapshot import Shape, Snapshot
from windrow.media.stage import Stage

# a file name below jobs/<Stage>/: nothing that could lead elsewhere
_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", re.ASCII)


def is_job_id(text: str) -> bool:
    return _JOB_ID.fullmatch(text) is not None


class Media(Shape, frozen=True, kw_only=True):
    """What the job is about. `type` chooses the provider; `url` is of the web, or `file:/PATH`, or `object:KEY`."""

    type: str
    url: str


class ClipWish(Shape, frozen=True, kw_only=True):
    """A stretch to be cut once the length is known, in seconds; an `end` beyond the medium's is its end."""

    start: float
    end: float


class ProcessingJob(Shape, frozen=True, kw_only=True):
    """The job in objects and messages."""

    job_id: str
    request_id: str
    status: Stage
    media: Media
    created_at: datetime
    updated_at: datetime
    correlation_id: str | None = None
    clip: ClipWish | None = None
    metadata_version: int = 0
    metadata_snapshot: Snapshot | None = None
    runtime_job_id: str | None = None
    error: dict[str, Any] | None = None


def as_bytes(job: ProcessingJob) -> bytes:
    return msgspec.json.format(msgspec.json.encode(job), indent=2)


def from_bytes(text: bytes) -> ProcessingJob:
    """The job that somebody else has written; only what could be a job's id is one."""
    try:
        job = msgspec.json.decode(text, type=ProcessingJob)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeMessageError(f"no media job: {error}") from None
    if not is_job_id(job.job_id):
        raise DecodeMessageError("the job's id is none that could be a file's name")
    return job


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaJob:
    """The row. `moves` counts its changes of stage, `mirrored` how many of them its objects show.

    `not_before` is when it is taken up again, if it waits; `claimed_until` how long somebody is at it.
    """

    tenant_id: str
    project_id: str
    stage: Stage
    job: ProcessingJob
    attempts: int
    moves: int
    mirrored: int
    not_before: datetime
    claimed_until: datetime | None

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant_id, self.project_id)

    @property
    def next_try_at(self) -> datetime | None:
        """When it is tried again, if something has failed and it waits for that."""
        return self.not_before if self.stage is Stage.QUEUED and self.job.error is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaEvent:
    """One change of stage, as it was committed. `from_stage` is empty for the first."""

    number: int
    at: datetime
    from_stage: str
    to_stage: str
    details: dict[str, Any]
