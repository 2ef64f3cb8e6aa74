"""What becomes of a job whose enrichment has failed. Values in, values out."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windrow.contracts.errors import Code, Fatal, RateLimited, ValidationFailure, WindrowError
from windrow.contracts.retry import LONGEST_WORD
from windrow.media.dead_letter import kept
from windrow.media.errors import EnrichmentDelayed
from windrow.media.limits import MediaLimits
from windrow.media.rows import Wait

# what the operator does not let anybody read is no matter of patience
_OF_THE_JOB = frozenset({Code.ADDRESS_REFUSED})


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Never again: Failed, with this error."""

    error: dict[str, Any]


Verdict = GiveUp | Wait


def judged(error: WindrowError, failures: int, limits: MediaLimits, jitter: float) -> Verdict:
    """Given up or tried again. `failures` counts this one; what a provider or a person has to end counts nothing."""
    if isinstance(error, EnrichmentDelayed) and error.not_before is not None:
        return Wait(delay=limits.retry.first, until=error.not_before, counted=False)
    if isinstance(error, ValidationFailure) or error.code in _OF_THE_JOB:
        return GiveUp(kept(error))
    if isinstance(error, Fatal):
        return Wait(delay=limits.unattended, counted=False)
    delay = limits.retry.delay(failures, jitter)
    if delay is None:
        last = kept(error)
        return GiveUp(
            last
            | {"code": str(Code.RETRIES_EXHAUSTED), "message": f"given up after {failures} attempts: {last['message']}"}
        )
    return Wait(delay=max(delay, _asked(error)))


def _asked(error: WindrowError) -> timedelta:
    asked = error.retry_after if isinstance(error, RateLimited) else None
    return timedelta(seconds=min(asked, LONGEST_WORD.total_seconds())) if asked and asked > 0 else timedelta(0)
