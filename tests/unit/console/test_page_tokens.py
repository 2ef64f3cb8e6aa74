"""Page tokens: good for going on with the list they were given for, and for nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.console.api.paging import LIFETIME, PageTokens, Reading, Turn
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.objects.signing import SigningKey

OLD, NEW = SigningKey("old", b"o" * 32), SigningKey("new", b"n" * 32)
READING = Reading(Scope("acme", "main"), "runs", {"endpoint": "handbook"})


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def refused(tokens: PageTokens, token: str, reading: Reading = READING) -> ValidationFailure:
    with pytest.raises(ValidationFailure) as caught:
        tokens.opened(reading, token, str)
    assert caught.value.code is Code.INVALID
    return caught.value


def test_a_token_gives_back_the_position_it_was_made_of() -> None:
    tokens = PageTokens([NEW])

    assert tokens.opened(READING, tokens.sealed(READING, ["a", 1]), list) == ["a", 1]


@given(at=st.integers(0, 400), to=st.characters(codec="utf-8"))
def test_a_token_with_any_character_altered_is_refused(at: int, to: str) -> None:
    tokens = PageTokens([NEW])
    token = tokens.sealed(READING, "the last one")
    at %= len(token)
    altered = token[:at] + to + token[at + 1 :]
    if altered != token:
        refused(tokens, altered)


@given(st.text(max_size=300))
def test_what_somebody_made_up_is_refused(text: str) -> None:
    refused(PageTokens([NEW]), text)


@pytest.mark.parametrize(
    "other",
    [
        replace(READING, scope=Scope("other", "main")),
        replace(READING, scope=Scope("acme", "elsewhere")),
        replace(READING, resource="endpoints"),
        replace(READING, filters={"endpoint": "wiki"}),
        replace(READING, filters={}),
    ],
)
def test_a_token_of_another_list_is_refused(other: Reading) -> None:
    tokens = PageTokens([NEW])

    assert "this list" in refused(tokens, tokens.sealed(other, "x")).message


def test_a_token_is_good_for_a_day() -> None:
    clock = Clock()
    tokens = PageTokens([NEW], clock=clock)
    token = tokens.sealed(READING, "x")

    clock.now += LIFETIME - 1
    assert tokens.opened(READING, token, str) == "x"
    clock.now += 1
    assert "expired" in refused(tokens, token).message


def test_a_key_that_was_replaced_is_accepted_while_it_is_known() -> None:
    token = PageTokens([OLD]).sealed(READING, "x")

    assert PageTokens([NEW, OLD]).opened(READING, token, str) == "x"
    refused(PageTokens([NEW]), token)


def test_a_position_of_another_version_is_refused_and_no_fault_of_ours() -> None:
    tokens = PageTokens([NEW])

    assert "version" in refused(tokens, tokens.sealed(READING, ["not", "text"])).message


@pytest.mark.parametrize(("found", "more"), [(0, False), (2, False), (3, True)])
def test_a_page_names_the_next_one_only_where_there_is_one(found: int, more: bool) -> None:
    turn: Turn[str] = Turn(PageTokens([NEW]), READING, None, 2)

    page = turn.page([str(each) for each in range(found)], lambda each: each)

    assert page.items == [str(each) for each in range(min(found, 2))]
    assert (page.next is not None) is more
