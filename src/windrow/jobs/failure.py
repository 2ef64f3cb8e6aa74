"""How an execution ended, and what is kept of an error."""

import traceback
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from windrow.contracts.errors import Conflict, RateLimited, RetryableTransient, WindrowError, classify
from windrow.contracts.retry import LONGEST_WORD, RetryPolicy
from windrow.telemetry.redaction import PROCESS

_LONGEST_ERROR = 2_000
_LONGEST_TRACEBACK = 16_000


class End(StrEnum):
    """How an execution ended."""

    DONE = "done"
    FAILED = "failed"
    HANDED_BACK = "handed_back"
    CANCELLED = "cancelled"
    LOST = "lost"  # the lease is another's, or could not be renewed: nothing is written
    ABORTED = "aborted"  # by a shutdown that could not wait


@dataclass(frozen=True, slots=True)
class Kept:
    """An error as the row keeps it: redacted, bounded, storable."""

    error_class: str
    code: str
    error: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end, and what it failed with."""

    end: End
    error: WindrowError | None = None
    kept: Kept | None = None


def failed(raised: BaseException) -> Outcome:
    """What was raised, as ours. What nobody mapped is transient until the tries are spent."""
    error = classify(raised)
    return Outcome(End.FAILED, error, keep(error, raised))


def keep(error: WindrowError, raised: BaseException) -> Kept:
    """Of a long traceback the end is kept, which says what happened."""
    trace = _storable("".join(traceback.format_exception(raised)))
    return Kept(error.error_class, error.code, _storable(error.message)[:_LONGEST_ERROR], trace[-_LONGEST_TRACEBACK:])


def delay_after(error: WindrowError, attempt: int, backoff: RetryPolicy, jitter: float) -> timedelta | None:
    """The wait before the next try, None if there is none: only what passes by itself is tried again."""
    if not isinstance(error, RetryableTransient | Conflict):
        return None
    delay = backoff.delay(attempt, jitter) or timedelta(0)
    asked = error.retry_after if isinstance(error, RateLimited) else None
    if asked is None or not asked > 0:
        return delay
    return max(delay, timedelta(seconds=min(asked, LONGEST_WORD.total_seconds())))


def _storable(text: str) -> str:
    return PROCESS.text(text).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
