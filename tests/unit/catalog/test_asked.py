"""What was typed into a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.catalog.asked import LONGEST, MOST_TERMS, Asked, parse


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", Asked()),
        ("  ", Asked()),
        ("kv store", Asked(("kv", "store"), unfinished=True)),
        ("kv store ", Asked(("kv", "store"))),
        ('"kv store"', Asked(phrases=("kv store",))),
        ('"kv store', Asked(phrases=("kv store",))),
        ('a "b c" d', Asked(("a", "d"), ("b c",), unfinished=True)),
        ("store -test", Asked(("store",), without=("test",))),
        ('store -"a b"', Asked(("store",), without=("a b",))),
        ("-", Asked(without=("",))),
        ("foo-bar", Asked(("foo-bar",), unfinished=True)),
        ("a\x00b \ud800c", Asked(("a", "b", "c"), unfinished=True)),
    ],
)
def test_words_phrases_and_what_must_not_be_there_are_told_apart(text: str, asked: Asked) -> None:
    assert parse(text) == asked


@given(st.text() | st.text(alphabet='ab" -\x00\ud800'))
def test_whatever_is_typed_can_be_sent_to_the_database(text: str) -> None:
    asked = parse(text)

    for term in (*asked.words, *asked.phrases, *asked.without):
        assert "\x00" not in term
        term.encode()


def test_there_is_an_end_to_what_is_looked_at() -> None:
    assert len(parse("a " * 10_000).words) == MOST_TERMS
    assert len(parse("a" * 10_000).words[0]) == LONGEST
