"""What becomes of a job whose enrichment has failed (EV-9), and when it is tried again (EV-15)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Conflict, Fatal, RateLimited, RetryableTransient, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.media.errors import (
    EnrichmentDelayed,
    EnrichmentImpossible,
    PersistenceError,
    PublishError,
    UnsupportedMediaTypeError,
)
from windrow.media.limits import MediaLimits
from windrow.media.rows import Wait
from windrow.media.verdict import GiveUp, judged

LIMITS = MediaLimits(retry=RetryPolicy(timedelta(seconds=10), timedelta(seconds=60), attempts=6, spread=0.5))
MIDNIGHT = datetime(2026, 11, 17, 8, tzinfo=UTC)


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    ("error", "tag"),
    [
        (UnsupportedMediaTypeError("x"), "UnsupportedMediaTypeError"),
        (EnrichmentImpossible("x"), "MetadataEnrichmentError"),
        (ValidationFailure("x"), "MetadataEnrichmentError"),
        (Fatal("x", code=Code.ADDRESS_REFUSED), "MetadataEnrichmentError"),
    ],
)
def test_what_no_patience_mends_is_given_up_at_once(error: Exception, tag: str) -> None:
    verdict = judged(error, 1, LIMITS, 1.0)

    assert isinstance(verdict, GiveUp)
    assert verdict.error["tag"] == tag


@pytest.mark.req("EV-9", "EV-15")
@pytest.mark.parametrize(
    "error", [EnrichmentDelayed("x"), RetryableTransient("x"), Conflict("x"), PersistenceError("x"), PublishError("x")]
)
def test_what_may_pass_is_tried_again_ever_later_and_given_up_after_its_attempts(error: Exception) -> None:
    waits = [judged(error, failures, LIMITS, 1.0) for failures in range(1, 6)]

    assert waits == [Wait(delay=timedelta(seconds=seconds)) for seconds in (10, 20, 40, 60, 60)]
    last = judged(error, 6, LIMITS, 1.0)
    assert isinstance(last, GiveUp)
    assert last.error["code"] == "RETRIES_EXHAUSTED"
    assert last.error["tag"] == getattr(error, "tag", "MetadataEnrichmentError")


@pytest.mark.req("EV-15")
@given(failures=st.integers(1, 5), jitter=st.floats(0, 1))
def test_chance_takes_at_most_half_of_a_wait(failures: int, jitter: float) -> None:
    whole = judged(EnrichmentDelayed("x"), failures, LIMITS, 1.0)
    wait = judged(EnrichmentDelayed("x"), failures, LIMITS, jitter)

    assert isinstance(whole, Wait)
    assert isinstance(wait, Wait)
    assert whole.delay / 2 <= wait.delay <= whole.delay


def test_a_time_that_the_provider_names_is_kept_and_counts_no_attempt() -> None:
    error = EnrichmentDelayed("quotaExceeded", not_before=MIDNIGHT)

    assert judged(error, 99, LIMITS, 1.0) == Wait(delay=timedelta(seconds=10), until=MIDNIGHT, counted=False)


@pytest.mark.parametrize(("asked", "seconds"), [(None, 10), (5, 10), (90, 90), (-1, 10), (1e12, 86_400)])
def test_a_provider_that_asks_for_patience_gets_it_within_a_bound(asked: float | None, seconds: float) -> None:
    assert judged(RateLimited("x", retry_after=asked), 1, LIMITS, 1.0) == Wait(delay=timedelta(seconds=seconds))


def test_what_waits_for_a_person_counts_no_attempt() -> None:
    refused = Fatal("API key not valid", code=Code.UNAUTHORIZED)

    assert judged(refused, 99, LIMITS, 0.0) == Wait(delay=LIMITS.unattended, counted=False)
