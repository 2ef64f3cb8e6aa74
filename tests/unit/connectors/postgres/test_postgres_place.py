"""The cursor: what it says, and that it only moves on."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from windrow.connectors.postgres.passing import MOST_DATABASES
from windrow.connectors.postgres.place import RELATIONS, At, Place, short
from windrow.contracts.errors import Fatal
from windrow.harvest.guards import LARGEST_CURSOR, written_cursor

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_place_comes_back_from_its_cursor() -> None:
    begun = Place().begin(NOON, "c", whole=True).entering("a\n/b", "p").behind(At("a\n/b", RELATIONS, 4294967295), 7)

    assert Place.of(msgspec.json.decode(msgspec.json.encode(begun.cursor()))) == begun


def test_a_cursor_only_moves_on() -> None:
    place = Place()
    seen = [place.progress]
    for step in range(3):
        place = place.begin(NOON, "c", whole=True).entering("a", "p").behind(At("a", RELATIONS, step), 100)
        seen.append(place.progress)
        place = place.ended()
        seen.append(place.progress)

    assert seen == sorted(set(seen))


def test_the_fingerprints_of_as_many_databases_as_are_allowed_fit_a_cursor() -> None:
    place = Place().begin(NOON, "c" * 16, whole=True)
    for number in range(MOST_DATABASES):
        place = place.entering(f"{number}" + "x" * 60, "f" * 16)

    assert len(written_cursor(place.cursor())) < LARGEST_CURSOR


def test_it_is_time_to_list_again_when_the_hours_are_over_or_the_clock_went_back() -> None:
    listed = Place().begin(NOON, "c", whole=True).ended()

    assert not listed.is_due(NOON + timedelta(hours=23), 24)
    assert listed.is_due(NOON + timedelta(hours=24), 24)
    assert listed.is_due(NOON, 0)
    assert listed.is_due(NOON - timedelta(days=400), 24)
    assert Place().is_due(NOON, 24)


def test_a_pass_over_some_databases_puts_off_no_listing_and_forgets_no_other() -> None:
    listed = Place().begin(NOON, "c", whole=True).entering("a", "1").entering("b", "2").ended()

    later = listed.begin(NOON + timedelta(hours=9), "c", whole=False).entering("b", "3").ended()

    assert later.listed == NOON
    assert later.prints == {short("a"): "1", short("b"): "3"}


@pytest.mark.parametrize("cursor", [{"pass": 0}, {"pass": "x"}, {"other": 1}, [], 7, {"at": {"database": 1}}])
def test_what_is_no_cursor_is_refused(cursor: object) -> None:
    with pytest.raises(Fatal):
        Place.of(cursor)
