"""What may be published, and what is refused with a clear word."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.messages.content import LARGEST_PAYLOAD, LONGEST_KEY, attributes_text, checked_key, payload_text
from windrow.messages.message import stable_id
from windrow.messages.publishing import _chunks, _Row

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_what_is_json_comes_back_equal(value: Any) -> None:
    assert json.loads(payload_text(value)) == value


@given(st.text(alphabet='\\u0a"', max_size=12))
def test_a_text_that_only_spells_a_nul_is_kept_and_a_nul_is_not(text: str) -> None:
    assert json.loads(payload_text([text])) == [text]
    with pytest.raises(ValidationFailure):
        payload_text([text + "\0" + text])


def circular() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("\ud800", Code.INVALID_VALUE),
        ({"\udfff": 1}, Code.INVALID_VALUE),
        ({"a\0": 1}, Code.INVALID_VALUE),
        ({1, 2}, Code.INVALID_VALUE),
        (b"bytes", Code.INVALID_VALUE),
        (float("inf"), Code.INVALID_VALUE),
        (circular(), Code.INVALID_VALUE),
        (deep(), Code.INVALID_VALUE),
        (10**5000, Code.INVALID_VALUE),
        ("x" * (LARGEST_PAYLOAD - 1), Code.TOO_LARGE),
        ("é" * (LARGEST_PAYLOAD // 2), Code.TOO_LARGE),
    ],
    ids=[
        "surrogate",
        "surrogate name",
        "NUL name",
        "set",
        "bytes",
        "inf",
        "circle",
        "deep",
        "huge int",
        "large",
        "wide",
    ],
)
def test_what_is_no_json_or_too_large_is_refused_in_one_line(payload: Any, code: Code) -> None:
    with pytest.raises(ValidationFailure) as refusal:
        payload_text(payload)

    assert refusal.value.code is code
    assert refusal.value.hint
    assert "\n" not in refusal.value.message


def test_a_payload_of_just_the_largest_size_is_taken() -> None:
    assert len(payload_text("x" * (LARGEST_PAYLOAD - 2))) == LARGEST_PAYLOAD


@pytest.mark.parametrize("attributes", [{"a": 1}, {1: "a"}, {"a": None}, {"a": "\0"}, {"a": "x" * 17_000}])
def test_attributes_are_texts_within_bounds(attributes: Any) -> None:
    with pytest.raises(ValidationFailure):
        attributes_text(attributes)


@pytest.mark.parametrize("key", ["", "x" * (LONGEST_KEY + 1), "a\0b", "\ud800"])
def test_a_key_that_cannot_be_kept_is_refused(key: str) -> None:
    with pytest.raises(ValidationFailure) as refusal:
        checked_key(key)

    assert refusal.value.code is Code.INVALID_KEY


def test_a_stable_id_is_the_same_for_the_same_parts_and_no_others() -> None:
    assert stable_id("job", "42") == stable_id("job", "42")
    assert len({stable_id("ab", "c"), stable_id("a", "bc"), stable_id("abc"), stable_id("abc", "")}) == 4


def test_a_bulk_of_large_payloads_is_cut_into_bounded_chunks_in_order() -> None:
    rows = [_Row(stable_id(str(n)), "k", "x" * 1_000_000, "{}") for n in range(70)]

    chunks = list(_chunks(rows))

    assert [row for chunk in chunks for row in chunk] == rows
    assert all(sum(len(row.payload) for row in chunk) <= 32 * 1024 * 1024 for chunk in chunks)
    assert len(chunks) == 3
