"""Which ports the engines get."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.stack.ports import RANGE, choose

NAMES = ("postgres", "temporal", "temporal_ui")
PORTS = st.integers(1, 65_535)


@given(remembered=st.dictionaries(st.sampled_from(NAMES), PORTS), taken=st.sets(PORTS))
def test_every_engine_gets_a_free_port_of_its_own(remembered: dict[str, int], taken: set[int]) -> None:
    chosen = choose(dict.fromkeys(NAMES), remembered, free=lambda port: port not in taken)

    assert chosen.keys() == set(NAMES)
    assert len(set(chosen.values())) == len(NAMES)
    assert not taken.intersection(chosen.values())


def test_a_remembered_port_that_is_free_is_used_again() -> None:
    assert choose({"postgres": None}, {"postgres": 4711}, free=lambda _: True) == {"postgres": 4711}


def test_a_remembered_port_that_is_taken_is_replaced_without_a_word() -> None:
    chosen = choose({"postgres": None}, {"postgres": 4711}, free=lambda port: port != 4711)

    assert chosen["postgres"] in RANGE


def test_a_port_that_was_asked_for_wins_over_the_remembered_one() -> None:
    assert choose({"postgres": 5000}, {"postgres": 4711}, free=lambda _: True) == {"postgres": 5000}


def test_a_port_that_was_asked_for_is_not_given_to_an_engine_that_merely_remembers_it() -> None:
    chosen = choose({"temporal": None, "postgres": 4711}, {"temporal": 4711}, free=lambda _: True)

    assert chosen["postgres"] == 4711
    assert chosen["temporal"] != 4711


def test_a_port_that_was_asked_for_and_is_taken_is_refused() -> None:
    with pytest.raises(Fatal, match="port 4711 for postgres is taken") as refused:
        choose({"postgres": 4711}, {}, free=lambda _: False)

    assert refused.value.code is Code.PORT_TAKEN


def test_one_port_cannot_be_asked_for_twice() -> None:
    with pytest.raises(Fatal, match="port 4711 for temporal_ui is taken"):
        choose({"temporal": 4711, "temporal_ui": 4711}, {}, free=lambda _: True)


@pytest.mark.parametrize("port", [-1, 0, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ValidationFailure, match="is not a port"):
        choose({"postgres": port}, {})


def test_when_no_port_is_free_that_is_said() -> None:
    with pytest.raises(Fatal, match="no free port"):
        choose({"postgres": None}, {}, free=lambda _: False)
