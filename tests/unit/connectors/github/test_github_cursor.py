"""Cursors and links: small, refused when made up, and without a gap when pages become smaller."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.github import links
from windrow.connectors.github.cursor import Known, Mark, Place, Way, packed, read, unpacked
from windrow.contracts.errors import Code, ValidationFailure

BASE = "https://ghe.example/api/v3"


def way(**more: Any) -> Way:
    return Way(config="c", pass_=3, began=60, **more)


def test_a_cursor_comes_back_from_json_as_it_was() -> None:
    known = Known(id=7, name="acme/tool", marks={"i": Mark(packed(f'W/"{"ab" * 32}"'), 50, "x", 9)})
    made = way(repositories=(known,), place=Place("i", 0, link="/repositories/7/issues?after=x"))

    assert read(json.loads(json.dumps(made.written()))) == made


@pytest.mark.parametrize(
    "made_up",
    [
        "text",
        {},
        {"config": "c", "pass": 0, "began": 1},
        {"config": "c", "pass": 1, "began": 1, "more": 1},
        {"config": "c", "pass": 1, "began": 1, "place": {"list": "i", "r": 5}},
        {"config": "c", "pass": 1, "began": 1, "place": {"list": "l", "link": "https://elsewhere.example/x"}},
        {"config": "c", "pass": 1, "began": 1, "place": {"list": "l", "link": "//elsewhere.example/x"}},
        {"config": "c", "pass": 1, "began": 1, "place": {"list": "?"}},
    ],
)
def test_a_cursor_that_somebody_made_up_is_refused(made_up: Any) -> None:
    with pytest.raises(ValidationFailure):
        read(made_up)


def test_too_many_repositories_for_a_cursor_are_refused_with_a_way_out() -> None:
    many = tuple(Known(id=number, name=f"acme/{'x' * 50}-{number}") for number in range(2000))

    with pytest.raises(ValidationFailure) as told:
        way(repositories=many).written()

    assert told.value.code is Code.TOO_LARGE
    assert "repositories" in (told.value.hint or "")


@given(
    st.one_of(
        st.from_regex(r'(W/)?"[0-9a-f]{64}"', fullmatch=True), st.from_regex(r'(W/)?"[!-~]{0,60}"', fullmatch=True)
    )
)
def test_an_etag_comes_back_as_it_was(etag: str) -> None:
    assert unpacked(packed(etag)) == etag


@given(page=st.integers(1, 500), before=st.integers(1, 100), most=st.integers(1, 100))
def test_smaller_pages_begin_no_further_on(page: int, before: int, most: int) -> None:
    link = f"/repositories/7/labels?per_page={before}&page={page}"
    smaller = links.resized(link, most)
    asked = dict(pair.split("=") for pair in smaller.partition("?")[2].split("&"))
    begin = (int(asked["page"]) - 1) * int(asked["per_page"])

    assert int(asked["per_page"]) <= most or before <= most
    assert (page - 1) * before - int(asked["per_page"]) < begin <= (page - 1) * before


def test_a_link_to_a_place_keeps_it_when_its_pages_become_smaller() -> None:
    assert links.resized("/x?after=abc&per_page=100", 50) == "/x?after=abc&per_page=50"
    assert not links.counts("/x?after=abc&page=2")
    assert links.counts("/x?page=2")


def test_a_link_is_kept_without_its_origin_and_only_from_its_own() -> None:
    assert links.kept("https://ghe.example/api/v3/repositories/7/issues?page=2", BASE) == (
        "/api/v3/repositories/7/issues?page=2"
    )
    for elsewhere in ("https://evil.example/api/v3/x", "http://ghe.example/api/v3/x", "https://ghe.example:444/x"):
        with pytest.raises(ValidationFailure):
            links.kept(elsewhere, BASE)
