"""How a table fits a terminal: words stay whole, or each row is told by itself."""

import io
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from windrow.cli import show

WORD = st.text("abcdefgh/", min_size=1, max_size=60)
CELL = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
RUN = {
    "run": "papers-20261116T164515-a8ef42",
    "began": datetime(2026, 11, 16, 16, 45, 15, tzinfo=UTC),
    "outcome": "failed NOT_FOUND",
    "reason": None,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, list[Mapping[str, Any]]], str]:
    """What a table looks like at a terminal of so many columns."""

    def shown(width: int, rows: list[Mapping[str, Any]]) -> str:
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        show.table(rows, list(rows[0]), empty="Nothing.")
        return re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())

    return shown


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=6), st.integers(20, 160))
def test_columns_never_are_wider_together_than_the_terminal(rows: list[tuple[str, ...]], room: int) -> None:
    columns = list(zip(*rows, strict=True))
    fitted = show.widths(columns, room)
    assert sum(fitted) + 2 * (len(fitted) - 1) <= room or not fitted
    for width, column in zip(fitted, columns, strict=False):
        natural = max(map(cell_len, column))
        assert width <= natural
        words = [cell_len(word) for cell in column for word in cell.split(" ")]
        assert width >= max(words) or (width >= 20 and max(words) > 36)


def test_a_table_that_has_room_is_as_wide_as_its_cells() -> None:
    assert show.widths([("run", "a-1"), ("state", "well and good")], 80) == (3, 13)


def test_ids_and_times_stay_whole_where_a_sentence_can_be_folded(
    at_a_terminal: Callable[[int, list[Mapping[str, Any]]], str],
) -> None:
    said = at_a_terminal(100, [{**RUN, "reason": "the source does not answer as it should, and nobody knows why " * 3}])
    assert "papers-20261116T164515-a8ef42  2026-11-16" in said
    assert re.search(r"2026-11-16 \d\d:45:15  failed", said)
    assert max(map(len, said.splitlines())) <= 100


def test_where_the_columns_do_not_fit_each_row_is_told_by_itself(
    at_a_terminal: Callable[[int, list[Mapping[str, Any]]], str],
) -> None:
    said = [line.rstrip() for line in at_a_terminal(40, [RUN, RUN]).splitlines()]
    one = ["run      papers-20261116T164515-a8ef42", said[1], "outcome  failed NOT_FOUND"]
    assert said == [*one, "", *one]
    assert re.fullmatch(r"began    2026-11-16 \d\d:45:15", said[1])


def test_at_a_terminal_a_very_long_cell_is_cut_and_says_how_to_see_it_whole(
    at_a_terminal: Callable[[int, list[Mapping[str, Any]]], str],
) -> None:
    said = at_a_terminal(100, [{"id": 1, "body": ["an-id-of-some-length"] * 500}])
    assert len(said.splitlines()) < 12
    assert "--json prints all of it" in " ".join(said.split())
