"""Figures that seldom change, lists that fit, and names that lead back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.postgres.figures import about, fitting
from windrow.connectors.postgres.naming import external_id, names
from windrow.contracts.identity import canonical

NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, None),
        (-1.0, None),
        (0, 0),
        (1, 1),
        (4, 2),
        (9.9, 5),
        (10, 10),
        (49_999, 20_000),
        (10**15 - 1, 5 * 10**14),
    ],
)
def test_a_figure_is_rounded_down_to_one_two_or_five(number: float | None, shown: int | None) -> None:
    assert about(number) == shown


@given(st.integers(1, 10**18))
def test_a_rounded_figure_is_never_less_than_two_fifths_of_the_true_one(number: int) -> None:
    shown = about(number)

    assert shown is not None
    assert shown <= number < 2.5 * shown + 1


@given(NAMES)
def test_names_lead_to_an_id_and_back(given_names: list[str]) -> None:
    named = external_id(*given_names)

    assert names(named) == tuple(given_names)
    assert named.isprintable() or not any(char in named for char in "\n\r\t\x7f")


@given(NAMES, NAMES)
def test_different_names_have_different_ids(one: list[str], other: list[str]) -> None:
    assert (external_id(*one) == external_id(*other)) is (one == other)


@given(st.lists(st.text(max_size=50)), st.integers(0, 500))
def test_what_is_kept_of_a_list_is_its_beginning_and_fits(entries: list[str], room: int) -> None:
    kept = fitting(entries, room)

    assert kept == entries[: len(kept)]
    assert len(canonical(kept)) <= max(room, 1) + 1
