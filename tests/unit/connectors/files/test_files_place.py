"""The cursor: JSON that leads back to the same path, and only forward."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.files.place import Place
from windrow.contracts.errors import Code, Fatal

parts = st.lists(st.binary(min_size=1, max_size=20).filter(lambda name: b"/" not in name and name != b"."), min_size=1)


@given(parts)
def test_a_cursor_comes_back_from_json_with_its_path(names: list[bytes]) -> None:
    place = Place().behind(b"/".join(names), 3)

    again = Place.of(json.loads(json.dumps(place.cursor())))

    assert again == place
    assert again.parts() == tuple(names)


def test_the_deepest_path_still_fits_a_cursor() -> None:
    path = b"/".join([b"\x01" * 255] * 128)
    cursor = Place().behind(path, 1).cursor()

    assert len(json.dumps(cursor)) < 64 * 1024
    assert b"/".join(Place.of(cursor).parts() or ()) == path


def test_the_next_pass_begins_anew_and_knows_how_much_the_last_one_held() -> None:
    place = Place().behind(b"a", 500).behind(b"b", 12)

    following = place.next_pass()

    assert (following.number, following.after, following.held) == (2, None, 511)
    assert Place().progress <= place.progress < following.progress


@pytest.mark.parametrize(
    "cursor",
    [7, "a", [], {"pass": 0}, {"pass": "1"}, {"pass": 1, "after": "\\"}, {"pass": 1, "more": 1}, {"after": "\\=!"}],
)
def test_a_cursor_that_is_not_ours_is_refused(cursor: Any) -> None:
    with pytest.raises(Fatal) as refused:
        Place.of(cursor)

    assert refused.value.code is Code.CORRUPTED
