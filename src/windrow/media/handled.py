"""What is to be handled, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from windrow.contracts.scope import Scope
from windrow.media.job import ProcessingJob
from windrow.media.stage import Stage


class Outcome(StrEnum):
    """How an event was dealt with. `failed` is the end of its job, `error` is not."""

    PROCESSED = "processed"
    SKIPPED = "skipped"
    FAILED = "failed"
    ERROR = "error"

    @property
    def result(self) -> str:
        """As it is counted."""
        return {Outcome.PROCESSED: "success", Outcome.SKIPPED: "skipped"}.get(self, "failure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an event is about. `job` is there when it came by message; else the row, or the object, is looked at."""

    scope: Scope
    job_id: str
    attempt: int = 1
    message_id: str | None = None
    correlation_id: str | None = None
    job: ProcessingJob | None = None
    generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """What became of it. `retryable`: whoever can deliver it again may."""

    outcome: Outcome
    job_id: str | None = None
    stage: Stage | None = None
    reason: str | None = None
    retryable: bool = False
