"""What a failed delivery comes to."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from windrow.messages.pump import in_turn
from windrow.messages.verdict import LONGEST_WAIT, delay_after, failure

POLICY = RetryPolicy(timedelta(seconds=2), timedelta(seconds=10), attempts=5, spread=0.5)
PAIRS = st.lists(st.tuples(st.text("abc", min_size=1, max_size=2), st.text("xy", min_size=1, max_size=2)), unique=True)


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 2), (2, 4), (3, 8), (4, 10), (5, None)])
def test_delays_double_up_to_the_ceiling_until_the_budget_is_spent(attempt: int, seconds: float | None) -> None:
    expected = None if seconds is None else timedelta(seconds=seconds)

    assert delay_after(RetryableTransient("away"), attempt, POLICY, 1.0) == expected


def test_jitter_takes_away_up_to_the_spread() -> None:
    assert delay_after(RetryableTransient("away"), 1, POLICY, 0.0) == timedelta(seconds=1)


@pytest.mark.parametrize("error", [Conflict("busy"), Fatal("no longer authorized", code=Code.UNAUTHORIZED)])
def test_what_a_person_can_mend_is_tried_until_the_budget_is_spent(error: WindrowError) -> None:
    assert delay_after(error, 1, POLICY, 1.0) == timedelta(seconds=2)
    assert delay_after(error, 5, POLICY, 1.0) is None


def test_what_is_malformed_is_never_tried_again() -> None:
    assert delay_after(ValidationFailure("not this"), 1, POLICY, 1.0) is None


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [(None, 2), (1.0, 2), (30.0, 30), (-5.0, 2), (float("nan"), 2), (float("inf"), 86_400), (1e9, 86_400)],
)
def test_a_receiver_that_asks_for_patience_gets_it_within_a_day(asked: float | None, seconds: float) -> None:
    delay = delay_after(RateLimited("slow down", retry_after=asked), 1, POLICY, 1.0)

    assert delay == timedelta(seconds=seconds)
    assert delay <= LONGEST_WAIT


def test_patience_does_not_lengthen_the_budget() -> None:
    assert delay_after(RateLimited("slow down", retry_after=5), 5, POLICY, 1.0) is None


def test_a_reason_is_kept_as_one_bounded_line_that_postgres_can_hold() -> None:
    kept = failure(RetryableTransient("line one\nline\0two \ud800 " + "x" * 900, code=Code.NETWORK))

    assert kept.reason.startswith("line one line\N{REPLACEMENT CHARACTER}two ? x")
    assert len(kept.reason) == 500
    assert (kept.error_class, kept.code) == ("RetryableTransient", "NETWORK")


def test_a_reason_holds_no_secret() -> None:
    kept = failure(RetryableTransient("postgresql://user:hunter2@host refused Bearer abcdefgh12345678"))

    assert "hunter2" not in kept.reason
    assert "abcdefgh" not in kept.reason


def test_an_error_that_says_nothing_is_named_by_its_class() -> None:
    assert failure(RetryableTransient("")).reason == "RetryableTransient"


@given(PAIRS, st.tuples(st.text("abc", max_size=2), st.text("xy", max_size=2)))
def test_everyone_has_a_turn_beginning_after_the_last(pairs: list[tuple[str, str]], served: tuple[str, str]) -> None:
    turn = in_turn(sorted(pairs), served)

    assert sorted(turn) == sorted(pairs)
    later = [one for one in sorted(pairs) if one > served]
    assert turn[: len(later)] == later
