"""What ends a run on a broken source."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.page import Page
from windrow.harvest.guards import LARGEST_CURSOR, Guards, is_too_much, written_cursor


def page(cursor: Any, *, last: bool = False, records: int = 1) -> Page:
    return Page(records=[{}] * records, cursor=cursor, position="here", last=last)


def numbered(cursor: Any) -> int | None:
    return cursor["at"] if cursor else None


def anything(_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("fetched", "refused", "stops"),
    [(3, 3, False), (4, 3, False), (4, 4, True), (40, 4, False), (39, 4, True), (1000, 100, False), (1000, 101, True)],
)
def test_a_run_stops_when_more_than_three_and_more_than_a_tenth_are_refused(
    fetched: int, refused: int, stops: bool
) -> None:
    assert bool(is_too_much(fetched, refused)) is stops


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_it_never_stops_for_few_and_never_for_a_small_part(fetched: int, refused: int) -> None:
    refused = min(fetched, refused)

    assert (is_too_much(fetched, refused) is not None) == (refused > 3 and 10 * refused > fetched)


def test_a_cursor_that_stands_still_is_refused() -> None:
    guards = Guards({"at": 1}, anything)

    with pytest.raises(ValidationFailure, match="never end"):
        guards.check(page({"at": 1}), ["a"])


def test_a_cursor_that_returns_is_refused_however_far_the_round_was() -> None:
    guards = Guards(None, anything)
    for at in range(100):
        guards.check(page({"at": at}), [str(at)])

    with pytest.raises(ValidationFailure, match="never end"):
        guards.check(page({"at": 0}), ["x"])


def test_a_cursor_that_goes_back_is_refused_where_that_can_be_told() -> None:
    guards = Guards({"at": 5}, numbered)
    guards.check(page({"at": 9}), ["a"])

    with pytest.raises(ValidationFailure, match="goes back, from 9 to 7"):
        guards.check(page({"at": 7}), ["b"])


def test_behind_the_last_page_the_cursor_may_begin_anew() -> None:
    Guards({"at": 5}, numbered).check(page(None, last=True), ["a"])


@pytest.mark.parametrize("round_trip", [1, 2, 5])
def test_a_page_that_comes_for_the_fourth_time_is_refused_whatever_was_in_between(round_trip: int) -> None:
    guards = Guards(None, anything)
    for at in range(3 * round_trip):
        guards.check(page({"at": at}), [str(at % round_trip)])

    with pytest.raises(ValidationFailure, match="same page again and again"):
        guards.check(page({"at": 3 * round_trip}), ["0"])


def test_endless_emptiness_is_refused() -> None:
    guards = Guards(None, anything)

    with pytest.raises(ValidationFailure, match="250 pages in a row were empty"):
        for at in range(2000):
            guards.check(page({"at": at}, records=0), [])


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param(object(), id="object"),
        {1, 2},
        b"raw",
        {"a": float("nan")},
        (1, 2),
        {1: "a"},
        "\ud800",
        "x" * LARGEST_CURSOR,
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_cursor_that_would_not_come_back_as_it_was_given_is_refused(cursor: Any) -> None:
    with pytest.raises(ValidationFailure, match="cursor"):
        written_cursor(cursor)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_a_cursor(cursor: Any) -> None:
    assert written_cursor(cursor)
