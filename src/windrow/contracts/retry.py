"""How long to wait before trying again: policies as data, one pure function."""

from dataclasses import dataclass
from datetime import timedelta

from windrow.contracts.errors import Conflict, Fatal, RateLimited, RetryableTransient, ValidationFailure, WindrowError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff: `first`, growing by `factor`, never above `ceiling`, for `attempts` tries in all.

    `spread` is the part of a delay that jitter may take away: 0 gives exact delays, 0.5 gives half to whole.
    Jitter only shortens, so that the ceiling holds.
    """

    first: timedelta
    ceiling: timedelta
    attempts: int | None
    factor: float = 2.0
    spread: float = 0.0

    def delay(self, failures: int, jitter: float = 1.0) -> timedelta | None:
        """The wait after the given number of failures, or None once the budget is spent. `jitter` is in [0, 1]."""
        if failures < 1:
            raise ValueError("a delay follows at least one failure")
        if self.attempts is not None and failures >= self.attempts:
            return None
        # in seconds, and no more than 64 doublings: a timedelta of 5 s * 2 ** 45 overflows long after the ceiling was reached
        grown = self.first.total_seconds() * self.factor ** min(failures - 1, 64)
        base = timedelta(seconds=min(grown, self.ceiling.total_seconds()))
        return base * (1 - self.spread * (1 - jitter))


# no source may put us off for longer than this at a time
LONGEST_WORD = timedelta(days=1)
NEVER = RetryPolicy(timedelta(0), timedelta(0), attempts=1)

# MW-20 … MW-23: inside a run, an activity retries by its error class
TRANSIENT = RetryPolicy(timedelta(seconds=30), timedelta(minutes=10), attempts=8)
CONFLICT = RetryPolicy(timedelta(seconds=5), timedelta(minutes=1), attempts=6, spread=0.5)
# OR-30: between runs, when a run as a whole failed recoverably
RUN_BACKOFF = RetryPolicy(timedelta(minutes=1), timedelta(hours=1), attempts=None)

POLICIES: dict[type[WindrowError], RetryPolicy] = {
    RetryableTransient: TRANSIENT,
    Conflict: CONFLICT,
    ValidationFailure: NEVER,
    Fatal: NEVER,
}


def policy_for(error: WindrowError) -> RetryPolicy:
    """The policy of the error's class."""
    return next(policy for kind, policy in POLICIES.items() if isinstance(error, kind))


def next_delay(error: WindrowError, failures: int, jitter: float = 1.0) -> timedelta | None:
    """The wait before the next try of what failed `failures` times with this class; a source's own word is a minimum."""
    delay = policy_for(error).delay(failures, jitter)
    if delay is None or not isinstance(error, RateLimited) or error.retry_after is None:
        return delay
    # whoever read the header has clamped it; an endless or a meaningless one must not stop us here
    asked = min(error.retry_after, LONGEST_WORD.total_seconds()) if error.retry_after > 0 else 0.0
    return max(delay, timedelta(seconds=asked))
