"""The output of a tap, cut into lines."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.singer.lines import Line, Lines

LONGEST, SHOWN = 8, 3


@settings(max_examples=100)
@given(
    text=st.binary(max_size=80).map(lambda raw: raw.replace(b"\r", b"\n")),
    cuts=st.lists(st.integers(0, 80), max_size=8),
)
def test_lines_are_the_same_however_they_arrive(text: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(text)]
    chunks = [text[begin:end] for begin, end in pairwise(places)]
    lines = Lines(LONGEST, shown=SHOWN)

    found = [line for chunk in chunks for line in lines.cut(chunk)] + lines.end()

    *whole, rest = text.split(b"\n")
    expected = [*whole, rest] if rest else whole
    assert found == [Line(each if len(each) <= LONGEST else each[:SHOWN], len(each)) for each in expected]


def test_of_an_endless_line_nothing_more_than_its_beginning_is_held() -> None:
    lines = Lines(1000, shown=10)

    for _ in range(10_000):
        assert lines.cut(b"x" * 100) == []

    assert sum(map(len, lines._parts)) == 10
    assert lines.cut(b"\nshort\n") == [Line(b"x" * 10, 1_000_000), Line(b"short", 5)]
