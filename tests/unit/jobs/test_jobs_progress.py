"""Which progress is told."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.jobs.progress import Throttle

pytestmark = pytest.mark.req("RR-8")


def told(*steps: tuple[float, float]) -> list[float]:
    throttle = Throttle()
    answers = [throttle.admits(percent, now) for percent, now in steps]
    return [answer for answer in answers if answer is not None]


def test_the_first_word_is_told() -> None:
    assert told((0.0, 10.0)) == [0.0]


def test_a_whole_percent_is_told_at_once() -> None:
    assert told((0, 0.0), (0.5, 0.01), (1.0, 0.02), (1.9, 0.03), (2.0, 0.04)) == [0, 1.0, 2.0]


def test_less_than_a_percent_is_told_after_half_a_second() -> None:
    assert told((0, 0.0), (0.1, 0.49), (0.2, 0.5)) == [0, 0.2]


def test_the_final_hundred_is_told_however_soon_and_only_once() -> None:
    assert told((99.9, 0.0), (100, 0.001), (100, 9.0), (50, 10.0)) == [99.9, 100]


def test_what_is_no_percent_is_bounded_or_passed_over() -> None:
    assert told((-5, 0.0), (math.nan, 1.0), (math.inf, 2.0)) == [0.0, 100.0]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 0.3)), max_size=50))
def test_it_never_goes_back(steps: list[tuple[float, float]]) -> None:
    now, timed = 0.0, []
    for percent, pause in steps:
        now += pause
        timed.append((percent, now))

    answers = told(*timed)

    assert answers == sorted(answers)
