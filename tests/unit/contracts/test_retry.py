"""The one delay function and the policies that the requirements give."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Conflict, Fatal, RateLimited, RetryableTransient, ValidationFailure
from windrow.contracts.retry import CONFLICT, RUN_BACKOFF, TRANSIENT, RetryPolicy, next_delay


def seconds(policy: RetryPolicy, jitter: float = 1.0) -> list[float]:
    """The delays until the budget is spent, ten at the most."""
    delays = [policy.delay(failures, jitter) for failures in range(1, 11)]
    return [delay.total_seconds() for delay in delays if delay is not None]


def test_transient_errors_wait_thirty_seconds_doubling_to_ten_minutes_within_eight_attempts() -> None:
    assert seconds(TRANSIENT) == [30, 60, 120, 240, 480, 600, 600]


def test_conflicts_wait_five_seconds_doubling_to_a_minute_jittered_and_give_up_after_five() -> None:
    assert seconds(CONFLICT) == [5, 10, 20, 40, 60]
    assert seconds(CONFLICT, jitter=0) == [2.5, 5, 10, 20, 30]


def test_validation_failures_and_fatal_errors_are_never_retried() -> None:
    assert next_delay(ValidationFailure("bad"), 1) is None
    assert next_delay(Fatal("worse"), 1) is None


def test_a_failed_run_waits_a_minute_doubling_to_an_hour_and_never_more() -> None:
    assert seconds(RUN_BACKOFF) == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]
    assert RUN_BACKOFF.delay(1_000_000) == timedelta(hours=1)


def test_what_a_source_asks_for_is_a_minimum() -> None:
    assert next_delay(RateLimited("later", retry_after=90), 1) == timedelta(seconds=90)
    assert next_delay(RateLimited("soon", retry_after=1), 1) == timedelta(seconds=30)
    assert next_delay(RateLimited("no word"), 1) == timedelta(seconds=30)
    assert next_delay(RateLimited("budget spent", retry_after=90), 8) is None


@pytest.mark.parametrize("asked", [-1.0, 0.0, float("nan")])
def test_a_meaningless_word_of_a_source_changes_nothing(asked: float) -> None:
    assert next_delay(RateLimited("odd", retry_after=asked), 1) == timedelta(seconds=30)


def test_no_source_may_put_us_off_for_ever() -> None:
    assert next_delay(RateLimited("never", retry_after=float("inf")), 1) == timedelta(days=1)


def test_a_class_decides_for_its_kinds() -> None:
    assert next_delay(RetryableTransient("away"), 2) == timedelta(minutes=1)
    assert next_delay(Conflict("moved"), 2, jitter=0.5) == timedelta(seconds=7.5)


@given(failures=st.integers(1, 10_000), jitter=st.floats(0, 1))
def test_jitter_only_shortens_and_the_ceiling_holds(failures: int, jitter: float) -> None:
    policy = RetryPolicy(timedelta(seconds=5), timedelta(minutes=1), attempts=None, spread=0.5)

    delay, whole = policy.delay(failures, jitter), policy.delay(failures)

    assert delay is not None
    assert whole is not None
    assert whole / 2 <= delay <= whole <= timedelta(minutes=1)


def test_a_delay_follows_a_failure() -> None:
    with pytest.raises(ValueError, match="at least one failure"):
        TRANSIENT.delay(0)
