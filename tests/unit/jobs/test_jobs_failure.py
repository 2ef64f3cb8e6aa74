"""What an error means for a job, and what is kept of it."""

from datetime import timedelta

import pytest

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.contracts.retry import RetryPolicy
from windrow.jobs.failure import delay_after, failed
from windrow.telemetry.redaction import PROCESS

BACKOFF = RetryPolicy(timedelta(seconds=4), timedelta(seconds=60), attempts=None, spread=0.5)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


@pytest.mark.req("RR-7")
@pytest.mark.parametrize("error", [RetryableTransient("x"), Conflict("x")], ids=lambda error: type(error).__name__)
def test_what_passes_by_itself_is_tried_again_later_and_later(error: WindrowError) -> None:
    assert [delay_after(error, attempt, BACKOFF, 1.0) for attempt in (1, 2, 3)] == [
        timedelta(seconds=4),
        timedelta(seconds=8),
        timedelta(seconds=16),
    ]


def test_jitter_shortens_a_delay_by_at_most_its_spread() -> None:
    assert delay_after(RetryableTransient("x"), 1, BACKOFF, 0.0) == timedelta(seconds=2)


@pytest.mark.req("RR-7")
@pytest.mark.parametrize(
    "error", [ValidationFailure("x", code=Code.INPUT_TOO_LARGE), Fatal("x")], ids=["input", "fatal"]
)
def test_what_can_only_fail_again_is_not_tried_again(error: WindrowError) -> None:
    assert delay_after(error, 1, BACKOFF, 1.0) is None


def test_a_sources_own_word_is_a_minimum() -> None:
    assert delay_after(RateLimited("x", retry_after=30.0), 1, BACKOFF, 1.0) == timedelta(seconds=30)
    assert delay_after(RateLimited("x", retry_after=float("nan")), 1, BACKOFF, 1.0) == timedelta(seconds=4)


@pytest.mark.req("RR-7")
def test_an_exception_that_nobody_knows_is_transient() -> None:
    outcome = failed(raised(KeyError("surprise")))

    assert isinstance(outcome.error, RetryableTransient)
    assert outcome.kept is not None
    assert (outcome.kept.code, outcome.kept.error_class) == (Code.UNKNOWN, "RetryableTransient")


@pytest.mark.req("RR-7")
def test_the_traceback_is_kept_without_its_secrets() -> None:
    PROCESS.know("hunter2-hunter2")

    outcome = failed(raised(RuntimeError("the password is hunter2-hunter2\0\ud800")))

    assert outcome.kept is not None
    assert "test_jobs_failure" in outcome.kept.traceback
    for text in (outcome.kept.error, outcome.kept.traceback):
        assert "hunter2" not in text
        assert "\0" not in text
        assert text.encode()


def test_of_a_long_traceback_the_end_is_kept() -> None:
    outcome = failed(raised(RuntimeError("x" * 50_000 + " the very end")))

    assert outcome.kept is not None
    assert len(outcome.kept.traceback) <= 16_000
    assert outcome.kept.traceback.rstrip().endswith("the very end")
