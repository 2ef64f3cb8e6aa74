"""The grammar of keys: what is refused names its rule, and any identifier has a key of its own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import LONGEST, Key
from windrow.contracts.scope import Scope

ACME = Scope("acme", "main")
WIDEST = Scope("t" * 64, "p" * 64)
PREFIX = "tenant/acme/project/main/"


@pytest.mark.req("KV-1")
def test_a_key_is_read_as_it_is_written() -> None:
    key = Key.parse("tenant/acme/project/main/harvest/github/cursor")

    assert key == Key.of(ACME, "harvest", "github", "cursor")
    assert str(key) == "tenant/acme/project/main/harvest/github/cursor"


@pytest.mark.req("KV-1")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (PREFIX + "x" * LONGEST, "at most 256 characters"),
        (PREFIX + "a b", "no white space"),
        (PREFIX + "a\nb", "no white space"),
        (PREFIX + "a\u00a0b", "no white space"),
        (PREFIX + "Cursor", "lowercase"),
        (PREFIX + "É", "lowercase"),
        ("", "tenant/<tenant_id>/project/<project_id>/<path>"),
        ("cursor", "tenant/<tenant_id>/project/<project_id>/<path>"),
        ("tenant/acme/project/main", "tenant/<tenant_id>/project/<project_id>/<path>"),
        (PREFIX, "tenant/<tenant_id>/project/<project_id>/<path>"),
        ("tenant//project/main/x", "tenant/<tenant_id>/project/<project_id>/<path>"),
        ("/" + PREFIX + "x", "tenant/<tenant_id>/project/<project_id>/<path>"),
        (PREFIX + "a//b", "no empty segment"),
        (PREFIX + "a/", "no empty segment"),
        (PREFIX + "../main/a", "no segment '.' or '..'"),
        (PREFIX + "a\0b", "only a-z, 0-9"),
        (PREFIX + "a\\b", "only a-z, 0-9"),
        (PREFIX + "ß", "only a-z, 0-9"),
        (PREFIX + "a*", "only a-z, 0-9"),
    ],
)
def test_a_malformed_key_is_refused_with_the_rule_that_it_breaks(text: str, rule: str) -> None:
    with pytest.raises(ValidationFailure) as refused:
        Key.parse(text)

    assert refused.value.code is Code.INVALID_KEY
    assert rule in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.req("KV-1")
def test_a_key_whose_tenant_is_no_name_is_refused() -> None:
    with pytest.raises(ValidationFailure, match="tenant '-acme' is not a name"):
        Key.parse("tenant/-acme/project/main/x")


def test_a_key_cannot_be_made_around_the_grammar() -> None:
    with pytest.raises(ValidationFailure, match="no empty segment"):
        Key(ACME, "a//b")


def test_an_empty_identifier_is_refused() -> None:
    with pytest.raises(ValidationFailure, match="empty"):
        Key.of(ACME, "harvest", "")


@pytest.mark.req("KV-1")
def test_an_identifier_within_the_grammar_stands_for_itself() -> None:
    assert Key.of(ACME, "harvest", "git-hub.2_x:7").path == "harvest/git-hub.2_x:7"


@pytest.mark.req("KV-1")
def test_the_documented_mapping_of_what_is_hashed() -> None:
    # kept as literals: these keys are in databases, a change of the mapping would lose them
    assert Key.of(ACME, "Weekly Report (final)").path == "weekly-report-fi~523ba50f1da22e8687bd90e31bd15701"
    assert Key.of(ACME, "x" * 65).path == "xxxxxxxxxxxxxxxx~7959643d3a845858fec2776919309cdd"


@pytest.mark.req("KV-1")
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_any_identifiers_have_a_key_that_keeps_the_grammar(identifiers: list[str]) -> None:
    for scope in (ACME, WIDEST):
        key = Key.of(scope, *identifiers)

        assert Key.parse(str(key)) == key
        assert len(str(key)) <= LONGEST
        assert not re.search(r"\s|[A-Z]", str(key))


TRICKY = st.one_of(st.text("aA/~ .", min_size=1, max_size=5), st.text(min_size=1), st.just("x" * 80))


@pytest.mark.req("KV-1")
@given(st.lists(TRICKY, min_size=1, max_size=4), st.lists(TRICKY, min_size=1, max_size=4))
def test_different_identifiers_have_different_keys(some: list[str], others: list[str]) -> None:
    for scope in (ACME, WIDEST):
        assert (Key.of(scope, *some) == Key.of(scope, *others)) == (some == others)


def test_the_hash_of_an_identifier_is_not_taken_for_an_identifier() -> None:
    hashed = Key.of(ACME, "Main").path

    assert Key.of(ACME, hashed) != Key.of(ACME, "Main")


def test_a_key_has_children() -> None:
    assert Key.of(ACME, "harvest", "github", "cursor").child("partial").path == "harvest/github/cursor/partial"
