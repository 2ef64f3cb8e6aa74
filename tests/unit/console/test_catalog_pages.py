"""What the catalog's pages make of an address, of what a source says, and of what stands around an item."""

from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.catalog import Facet, Mark, Related, Tie
from windrow.console.pages.catalog.choices import SHOWN, choices, total
from windrow.console.pages.catalog.graph import MOST, cut, drawn
from windrow.console.pages.catalog.question import Question
from windrow.console.pages.catalog.said import MOST_LINES, lines, outward, said

NAMES = ("q", "endpoint", "type", "label", "owner", "gone", "after")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=40,
)


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=300)))
@settings(max_examples=30)
def test_every_address_means_something_and_its_own_address_means_the_same(asked: dict[str, str]) -> None:
    question = Question.of(asked)
    mark, skipped = question.mark, question.skipped

    assert question.filters.endpoint == question.endpoint
    assert isinstance(mark, Mark | None)
    assert 0 <= skipped < 500
    assert Question.of(dict(parse_qsl(urlsplit(question.href(after=question.after)).query))) == question


def test_a_facet_leads_to_itself_and_when_chosen_back() -> None:
    facets = [Facet("github", "file", 1000, False), Facet("github", "page", 5, True), Facet("wiki", "page", 40, True)]

    sources, types = choices(Question(words="kv", kind="page"), facets)

    assert [(one.value, one.count, one.chosen) for one in sources.shown] == [
        ("wiki", "40", False),
        ("github", "5", False),
    ]
    assert [(one.value, one.count, one.chosen) for one in types.shown] == [
        ("page", "45", True),
        ("file", "1\u202f000+", False),
    ]
    assert [one.href for one in types.shown] == ["/catalog?q=kv", "/catalog?q=kv&type=file"]
    assert total(facets).words == "more than 1\u202f045 items"


def test_a_guess_is_told_as_one_and_a_long_facet_is_folded() -> None:
    facets = [Facet(f"e{number}", "file", 163_412 - number, False, guess=True) for number in range(20)]

    sources, types = choices(Question(endpoint="gone-since"), facets)

    assert (len(sources.shown), len(sources.folded)) == (SHOWN, 21 - SHOWN)
    assert (sources.shown[0].value, sources.shown[0].count) == ("gone-since", "0")
    assert sources.shown[1].count == "~160\u202f000"
    assert types.shown == ()


@given(st.dictionaries(st.text(max_size=20), JSON, max_size=8))
@settings(max_examples=30)
def test_whatever_a_source_says_can_be_shown(attributes: dict[str, Any]) -> None:
    told = lines(attributes)

    assert len(told.pairs) <= MOST_LINES
    for _, value in told.pairs:
        assert value.link is None or value.link.lower().startswith(("http://", "https://"))
        assert value.text or value.is_nothing


def test_what_is_nested_is_named_by_its_path_and_what_is_long_is_folded() -> None:
    told = lines(
        {"b": {"c": True, "d": None}, "a": [1, "x"], "files": [{"name": "f" * 500}], "zero": 0, "": {"": [""]}}
    )

    assert [(path, one.text[:5], one.long) for path, one in told.pairs] == [
        ("(no name).", "empty", False),
        ("a", "1, x", False),
        ("b.c", "yes", False),
        ("b.d", "nothi", False),
        ("files.0.name", "fffff", True),
        ("zero", "0", False),
    ]
    assert said("x" * 3000, longest=1000).text.endswith("… and 2000 characters more")


@pytest.mark.parametrize(
    ("address", "leads"),
    [
        ("https://example.com/a?b#c", True),
        ("HTTP://example.com", True),
        ("javascript:alert(1)", False),
        ("java\tscript:alert(1)", False),
        (" https://example.com", False),
        ("//example.com", False),
        ("https:///nowhere", False),
        ("http://[", False),
        ("data:text/html,x", False),
        ("/runs", False),
        (None, False),
    ],
)
def test_a_browser_is_sent_only_to_addresses_of_the_web(address: str | None, leads: bool) -> None:
    assert (outward(address) is not None) == leads


def tie(name: str, count: int, *, outgoing: bool = True, is_all: bool = True) -> Tie:
    others = tuple(
        Related(
            type=name,
            item_id=UUID(int=number),
            external_id=f"{name} {number}",
            entity_type="file" if number else None,
            display_name="a name that is far too long for its box" if number else None,
            deleted=False,
        )
        for number in range(min(count, 24))
    )
    return Tie(type=name, outgoing=outgoing, others=others, count=count, is_all=is_all)


def test_a_large_relation_does_not_crowd_out_the_others() -> None:
    graph = drawn("it", [tie("author", 2), tie("child", 300), tie("parent", 1000, outgoing=False, is_all=False)])

    assert graph
    assert len(graph.nodes) == 2 * MOST
    said = [heading.text for heading in graph.headings]
    assert said == ["parent", "and more than 988 more", "author", "child", "and 290 more"]
    assert graph.nodes[0].x < graph.x < graph.nodes[-1].x
    # nothing stands upon anything else, nor outside of the drawing
    places = sorted((node.x, node.y) for node in graph.nodes)
    assert all(b[1] - a[1] >= 26 for a, b in pairwise(places) if a[0] == b[0])
    assert all(0 <= node.y <= graph.height - 26 and node.x + 216 <= graph.width for node in graph.nodes)


def test_a_name_fits_its_box() -> None:
    assert cut("a name\nwith  breaks") == "a name with breaks"
    assert cut("x" * 27) == "x" * 27
    assert cut("x" * 28) == "x" * 26 + "…"
    assert cut("目" * 13) == "目" * 13
    assert cut("目" * 14) == "目" * 12 + "…"


def test_what_was_not_harvested_leads_nowhere_and_who_stands_alone_is_not_drawn() -> None:
    graph = drawn("it", [tie("parent", 2)])

    assert graph
    assert [node.item_id for node in graph.nodes] == [None, UUID(int=1)]
    assert graph.nodes[1].text.endswith("…")
    assert drawn("it", []) is None
