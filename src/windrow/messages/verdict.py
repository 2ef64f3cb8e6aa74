"""What a failed delivery comes to: another attempt after a while, or a dead letter. Values in, values out."""

from dataclasses import dataclass
from datetime import timedelta

from windrow.contracts.errors import RateLimited, ValidationFailure, WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.telemetry import redact

# a receiver may ask for patience, and not that a key stands still for a year
LONGEST_WAIT = timedelta(days=1)
_LONGEST_REASON = 500

DELIVERY = RetryPolicy(timedelta(seconds=1), timedelta(minutes=10), attempts=10, spread=0.5)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it is kept: its class and code, and its message without secrets, in one bounded line."""

    error_class: str
    code: str
    reason: str


def failure(error: WindrowError) -> Failure:
    """How the error is kept in a row."""
    line = " ".join(redact(error.message).replace("\0", "\N{REPLACEMENT CHARACTER}").split())
    storable = line.encode("utf-8", "replace").decode()
    return Failure(error.error_class, str(error.code), storable[:_LONGEST_REASON] or type(error).__name__)


def delay_after(error: WindrowError, attempt: int, policy: RetryPolicy, jitter: float) -> timedelta | None:
    """The wait before the next attempt, or None when this was the last.

    What is malformed stays so: it is a dead letter at once. A fatal error is tried on until the budget is spent, since
    a person who mends the credential mends the message too. A receiver's `Retry-After` is the least that we wait.
    """
    if isinstance(error, ValidationFailure):
        return None
    delay = policy.delay(attempt, jitter)
    if delay is not None and isinstance(error, RateLimited) and (asked := error.retry_after or 0.0) > 0:
        return max(delay, timedelta(seconds=min(asked, LONGEST_WAIT.total_seconds())))
    return delay
