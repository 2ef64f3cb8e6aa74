"""The executions of a job, one by one: who had it, for how long, and how that ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from windrow.jobs.job import JobEvent

# how an execution ends; what a person says of a job that waits is no end of one
_ENDS = frozenset(
    {
        "done",
        "failed",
        "cancelled",
        "requeued:error",
        "requeued:stale",
        "requeued:handed_back",
        "aborted:shutdown",
    }
)
_CUT_OFF = "aborted:shutdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One execution. `end` is the event that ended it, None while it lasts; `code` the error, where there was one."""

    attempt: int
    epoch: int
    worker: str | None
    began_at: datetime
    ended_at: datetime | None = None
    end: str | None = None
    code: str | None = None


def tries(befell: Sequence[JobEvent]) -> list[Try]:
    """From what befell the job, in order. Each acquisition is one, by its epoch."""
    found: dict[int, Try] = {}
    for event in befell:
        one = found.get(event.epoch)
        if event.event == "processing":
            found[event.epoch] = Try(attempt=event.attempt, epoch=event.epoch, worker=event.worker, began_at=event.at)
        # a job that was cut off is ended by recovery; whatever else comes later befell one that waited
        elif one and event.event in _ENDS and one.end in (None, _CUT_OFF):
            found[event.epoch] = _ended(one, event)
    return list(found.values())


def _ended(one: Try, event: JobEvent) -> Try:
    details: dict[str, Any] = event.details or {}
    return replace(one, ended_at=event.at, end=event.event, code=details.get("code"))
