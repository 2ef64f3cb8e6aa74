"""What a caller is told: a small JSON document, and the status that makes it do the right thing (D4).

Eventarc is told 200 whatever happened, lest it deliver again what the sweep sees to; Pub/Sub is told 500 for what may go
better the next time. What was refused at the door (too large, no token) is a problem as everywhere else.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from starlette.responses import Response

from windrow.events.envelope import Caller
from windrow.media.handled import Handled, Outcome
from windrow.media.stage import Stage
from windrow.web.bodies import as_json


class Status(StrEnum):
    """Whether the delivery is settled; `nack` asks for another."""

    ACK = "ack"
    NACK = "nack"


# of a batch, the worst is told
_SEVERITY = (Outcome.SKIPPED, Outcome.PROCESSED, Outcome.FAILED, Outcome.ERROR)


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """`retryable` says that it may yet end otherwise: by another delivery, or by the sweep."""

    status: Status
    outcome: Outcome
    retryable: bool


class WorkerProcessingResponse(Answer, frozen=True, kw_only=True):
    """What became of one letter; `reason` says why nothing was to be done."""

    job_id: str | None
    stage: Stage | None = None
    reason: str | None = None


class WorkerErrorResponse(WorkerProcessingResponse, frozen=True, kw_only=True):
    """The same, of a letter that made trouble; `error` begins with the tag that logs and dead letters call it by."""

    error: str


class WorkerBatchResponse(Answer, frozen=True, kw_only=True):
    """What became of each event of a batch, in their order."""

    results: tuple[WorkerProcessingResponse, ...]


def told(caller: Caller, handled: Handled) -> WorkerProcessingResponse:
    """What is said of one letter. Only Pub/Sub delivers again when it is asked to."""
    nack = handled.retryable and caller is Caller.PUBSUB
    about: dict[str, Any] = {
        "status": Status.NACK if nack else Status.ACK,
        "outcome": handled.outcome,
        "retryable": handled.retryable,
        "job_id": handled.job_id,
        "stage": handled.stage,
    }
    if handled.outcome in (Outcome.PROCESSED, Outcome.SKIPPED):
        return WorkerProcessingResponse(**about, reason=handled.reason)
    # of what failed inside of us, the words are for the log
    tag, _, _ = words = (handled.reason or "unknown").partition(": ")
    return WorkerErrorResponse(**about, error="".join(words) if handled.outcome is Outcome.FAILED else tag)


def answer(results: Sequence[WorkerProcessingResponse], *, batch: bool) -> Response:
    """The answer to a request with these letters in it."""
    said: Answer = _together(results) if batch else results[0]
    return as_json(said, 500 if said.status is Status.NACK else 200)


def _together(results: Sequence[WorkerProcessingResponse]) -> WorkerBatchResponse:
    return WorkerBatchResponse(
        status=Status.ACK,
        outcome=max((one.outcome for one in results), key=_SEVERITY.index, default=Outcome.SKIPPED),
        retryable=any(one.retryable for one in results),
        results=tuple(results),
    )
