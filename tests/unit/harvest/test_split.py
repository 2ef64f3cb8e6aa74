"""A page that is too large becomes several batches."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.harvest.publish import split

ROWS = st.lists(st.integers(2, 40).map(lambda size: b"x" * size), max_size=60)


def written(rows: list[bytes]) -> bytes:
    return b"[" + b",".join(rows) + b"]"


@pytest.mark.req("HV-11")
@given(ROWS, st.integers(50, 200))
def test_every_part_is_within_the_ceiling_and_together_they_are_the_page(rows: list[bytes], ceiling: int) -> None:
    parts = split(rows, ceiling)

    assert [row for part in parts for row in part] == rows
    assert all(len(written(part)) <= ceiling for part in parts)
    assert all(parts) or rows == []


@given(ROWS, st.integers(50, 200))
def test_no_two_neighbours_would_have_fitted_together(rows: list[bytes], ceiling: int) -> None:
    parts = split(rows, ceiling)

    for one, next_one in itertools.pairwise(parts):
        assert len(written([*one, next_one[0]])) > ceiling


def test_a_page_of_nothing_is_one_part() -> None:
    assert split([]) == [[]]
