"""What is known of the handling under way, and said of it: every line carries the job, its stage, and how long it took so far."""

import time
from typing import Any

from opentelemetry.trace import Span

from windrow.contracts.errors import WindrowError
from windrow.media.dead_letter import kept
from windrow.media.handled import Handled, Outcome
from windrow.media.job import ProcessingJob
from windrow.media.stage import Stage
from windrow.telemetry import emit

UNKNOWN = "unknown"


class Account:
    """Of one handling. What it does not know yet is `unknown` (D20)."""

    def __init__(self, job_id: str | None, stage: str, traced: Span) -> None:
        self._begun, self._traced = time.perf_counter(), traced
        self.job_id = job_id
        self.known: dict[str, Any] = {
            "job_id": job_id or UNKNOWN,
            "request_id": UNKNOWN,
            "stage": stage,
            "media_type": UNKNOWN,
        }

    @property
    def milliseconds(self) -> float:
        return round((time.perf_counter() - self._begun) * 1000, 3)

    def learn(self, job: ProcessingJob) -> None:
        """From here on the lines are about this job, as it stands."""
        self.known |= {"request_id": job.request_id, "stage": job.status, "media_type": job.media.type}
        self._traced.set_attribute("request_id", job.request_id)

    def conclude(self, outcome: str) -> None:
        self._traced.set_attribute("outcome", outcome)

    def receive(self, attempt: int, **more: Any) -> None:
        emit("metadata.worker.received", **self.known, attempt=attempt, **more)

    def say(self, event: str, **more: Any) -> None:
        emit(event, **self.known, duration_ms=self.milliseconds, **more)

    def fail(self, error: WindrowError, *, retryable: bool, **more: Any) -> None:
        """Something went wrong."""
        self.say(
            "metadata.worker.failure",
            **_trouble(kept(error)),
            error_class=error.error_class,
            retryable=retryable,
            error=error,
            **more,
        )

    def skip(self, reason: str, stage: Stage | None = None) -> Handled:
        """There was nothing to do."""
        self.say("metadata.worker.skipped", reason=reason)
        return Handled(outcome=Outcome.SKIPPED, job_id=self.job_id, stage=stage, reason=reason)

    def trouble(self, error: WindrowError) -> Handled:
        """It is to be tried again."""
        told = kept(error)
        return Handled(
            outcome=Outcome.ERROR, job_id=self.job_id, reason=f"{told['tag']}: {told['message']}", retryable=True
        )

    def give_up(self, told: dict[str, Any], error_class: str, stage: Stage | None = None, **more: Any) -> Handled:
        """It is the end."""
        self.say("metadata.worker.failed", **_trouble(told), error_class=error_class, **more)
        return Handled(
            outcome=Outcome.FAILED, job_id=self.job_id, stage=stage, reason=f"{told['tag']}: {told['message']}"
        )


def _trouble(told: dict[str, Any]) -> dict[str, Any]:
    return {"tag": told["tag"], "code": told["code"], "reason": told["message"]}
