"""Where one could go on: cursors follow from messages alone."""

from typing import Any

import pytest

from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.cursor import Place, checked, goes_on, read
from windrow.connectors.singer.failures import Ended, crashed
from windrow.connectors.singer.following import Following
from windrow.connectors.singer.messages import Record, Schema, State
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure


def follow(*messages: Any, place: Place | None = None) -> Following:
    following = Following(place or Place(), SingerConfig(tap="t"), None, lambda *_, **__: None)
    for message in (Schema("a", ("id",)), *messages):
        if heard := following.hear(message):
            following.give(heard[0])
    return following


def record(number: int, **more: Any) -> Record:
    return Record("a", {"id": number, **more}, 10)


def test_a_state_is_gone_on_from_and_records_behind_it_are_counted() -> None:
    place = follow(record(1), State({"at": 1}), record(2), record(3)).place

    assert (place.state, place.skip, place.given) == ({"at": 1}, 2, 3)


def test_among_records_that_were_given_before_no_state_counts() -> None:
    following = Following(Place(skip=2, given=2), SingerConfig(tap="t"), None, lambda *_, **__: None)
    for message in (Schema("a", ("id",)), record(1), State({"at": 1}), record(2)):
        if heard := following.hear(message):
            following.trail.take(heard[0])

    assert (following.place.state, following.trail.length) == (None, 2)
    following.hear(State({"at": 2}))
    assert (following.place.state, following.trail.length) == ({"at": 2}, 0)


def test_a_state_that_says_nothing_new_is_none_to_go_on_from() -> None:
    following = follow(record(1), State({"at": 1}), record(2), place=Place(state={"at": 1}))

    assert (following.place.skip, following.final) == (2, {"at": 1})


def test_a_state_that_the_tap_would_begin_anew_from_counts_at_the_end_only() -> None:
    unsure = {"bookmarks": {"a": {"partitions": [{"progress_markers": {"id": 1}}]}}}

    following = follow(record(1), State(unsure), record(2))

    assert not goes_on(unsure)
    assert goes_on({"bookmarks": {"a": {"progress_markers": {}}}})
    assert (following.place.state, following.place.skip, following.final) == (None, 2, unsure)


def test_the_mark_is_that_of_the_records_and_not_of_when_they_were_read() -> None:
    early, late, other = (
        follow(record(1, _sdc_extracted_at=when, name=name)).trail.mark
        for when, name in (("07:00", "x"), ("08:00", "x"), ("07:00", "y"))
    )

    assert early == late != other


@pytest.mark.parametrize("cursor", [7, {"skip": 3}, {"given": -1}, {"state": []}, {"unknown": 1}])
def test_a_cursor_that_is_not_ours_is_refused(cursor: Any) -> None:
    with pytest.raises(ValidationFailure, match="not one of the singer connector"):
        read(cursor)


@pytest.mark.parametrize("state", [{"seen": ["x" * 1000] * 50}, {"at": "\0"}, {"at": 2**70}])
def test_a_state_that_cannot_be_kept_is_refused(state: Any) -> None:
    with pytest.raises(ValidationFailure, match="the STATE of the tap"):
        checked(state, [])


@pytest.mark.parametrize(
    ("code", "peak", "family", "expected"),
    [
        (1, 0, RetryableTransient, Code.UNAVAILABLE),
        (-11, 0, RetryableTransient, Code.UNAVAILABLE),
        (-64, 0, RetryableTransient, Code.UNAVAILABLE),
        (None, 0, RetryableTransient, Code.UNAVAILABLE),
        (1, 900, ValidationFailure, Code.TOO_LARGE),
        (-25, 0, ValidationFailure, Code.TOO_LARGE),
        (126, 0, Fatal, Code.CONFIGURATION),
    ],
)
def test_the_end_of_a_tap_is_classified(code: int | None, peak: int, family: type, expected: Code) -> None:
    error = crashed("t", Ended(code, peak, "last words"), memory=1000)

    assert (type(error), error.code) == (family, expected)
    assert "last words" in error.message
