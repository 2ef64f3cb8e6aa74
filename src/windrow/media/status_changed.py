"""`JobStatusChanged`: what is said of a change of stage, in its event object and on the events topic alike."""

from datetime import datetime
from typing import Any

import msgspec

from windrow.media.job import MediaEvent, MediaJob
from windrow.media.snapshot import Shape


class JobStatusChanged(Shape, frozen=True, kw_only=True, tag="JobStatusChanged", tag_field="event"):
    """`number` counts the job's changes: with the job's id it names this one for ever."""

    job_id: str
    request_id: str
    number: int
    at: datetime
    to: str
    from_: str | None = None
    correlation_id: str | None = None
    details: dict[str, Any] = msgspec.field(default_factory=dict)

    @classmethod
    def of(cls, job: MediaJob, change: MediaEvent) -> "JobStatusChanged":
        return cls(
            job_id=job.job.job_id,
            request_id=job.job.request_id,
            number=change.number,
            at=change.at,
            to=change.to_stage,
            from_=change.from_stage or None,
            correlation_id=job.job.correlation_id,
            details=change.details,
        )
