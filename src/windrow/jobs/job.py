"""A job as people and programs read it: the row, and what befell it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Where a job stands. The migration draws the ways from one to the other."""

    SCHEDULED = "scheduled"  # not due yet, or waits before it is tried again
    QUEUED = "queued"
    PROCESSING = "processing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in {Status.DONE, Status.FAILED, Status.CANCELLED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job of the tenant that reads it. `progress` is the last percent that was told, `artifact` what it has made."""

    job_id: str
    project_id: str
    kind: str
    payload: Any
    status: Status
    priority: int
    run_at: datetime | None
    dedupe_key: str | None
    attempt_count: int
    max_attempts: int
    lease_epoch: int
    worker: str | None
    last_heartbeat_at: datetime | None
    progress: float | None
    artifact: dict[str, Any] | None
    cancel_requested_at: datetime | None
    failure_code: str | None
    error_class: str | None
    error_code: str | None
    error: str | None
    traceback: str | None
    correlation_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """One thing that befell a job: `created`, `processing`, `source:ready`, `progress`, `uploaded`, `done`, `failed`,
    `cancel:requested`, `cancelled`, `requeued:stale|error|handed_back|retry`, `aborted:shutdown`."""

    id: int
    event: str
    at: datetime
    attempt: int
    epoch: int
    worker: str | None
    details: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many jobs of a kind stand where."""

    kind: str
    status: str
    jobs: int
