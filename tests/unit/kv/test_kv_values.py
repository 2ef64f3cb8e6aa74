"""What may be a value: JSON that comes back equal, within bounds that hold before anything large is made."""

import enum
import json
import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.storable import DEEPEST
from windrow.kv.value import LARGEST, canonical
from windrow.postgres.audit import digest

LETTERS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | LETTERS
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(LETTERS, inner), max_leaves=20)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return value


@given(VALUES)
def test_a_value_reads_back_with_the_same_types(value: Any) -> None:
    # repr tells 1 from 1.0 and from True, and 0.0 from -0.0
    again = json.loads(canonical(value).text)

    assert again == value
    assert canonical(again) == canonical(value)
    assert json.dumps(again, sort_keys=True) == json.dumps(value, sort_keys=True)


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical({"a": 1, "b": {"x": 1, "y": 2}}) == canonical({"b": {"y": 2, "x": 1}, "a": 1})


def test_the_hash_is_the_one_of_the_audit_trail() -> None:
    assert canonical({"é": [1, 2.5, "x"]}).hash == digest({"é": [1, 2.5, "x"]})


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), (0, False), ("1", 1), ([], {}), (None, "null"), (0.0, -0.0)]
)
def test_values_that_only_look_alike_hash_apart(one: Any, other: Any) -> None:
    assert canonical(one).hash != canonical(other).hash


class Colour(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (float("nan"), "nan, which JSON does not know"),
        (float("inf"), "inf, which JSON does not know"),
        ({"a": [1, float("-inf")]}, "-inf, which JSON does not know"),
        ("a\0b", "a NUL character"),
        ({"a\0b": 1}, "a NUL character"),
        ("\ud800", "half of a surrogate pair"),
        ({"\udfff": 1}, "half of a surrogate pair"),
        (2**63, "does not fit 64 bits"),
        (-(2**63) - 1, "does not fit 64 bits"),
        ([10**5000], "does not fit 64 bits"),
        ({1: "a"}, "a int as a name"),
        ({None: "a"}, "a NoneType as a name"),
        ({"a": 1, 2: 1}, "a int as a name"),
        ((1, 2), "a tuple, which is not JSON"),
        ({1, 2}, "a set, which is not JSON"),
        (b"x", "a bytes, which is not JSON"),
        (Decimal("1.5"), "a Decimal, which is not JSON"),
        (object(), "a object, which is not JSON"),
        (nested(DEEPEST + 1), "more than 64 levels"),
        (nested(100_000), "more than 64 levels"),
    ],
)
def test_what_json_or_postgres_cannot_hold_is_refused_in_one_line(value: Any, why: str) -> None:
    with pytest.raises(ValidationFailure) as refused:
        canonical(value)

    assert refused.value.code is Code.INVALID_VALUE
    assert why in refused.value.message
    assert refused.value.hint


def test_the_deepest_value_is_kept() -> None:
    assert json.loads(canonical(nested(DEEPEST)).text) == nested(DEEPEST)


def test_an_enumeration_is_kept_as_its_number() -> None:
    assert canonical([Colour.RED]).text == "[1]"


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10_000_000,
        "é" * (LARGEST // 2),
        "\n" * (LARGEST // 2),
        ["x"] * (LARGEST // 2),
        {str(number): number for number in range(LARGEST // 8)},
    ],
    ids=["a long text", "two bytes a character", "escapes", "many parts", "many names"],
)
def test_a_value_above_the_cap_is_refused(value: Any) -> None:
    with pytest.raises(ValidationFailure, match="larger than 1 MiB") as refused:
        canonical(value)

    assert refused.value.code is Code.TOO_LARGE


def test_a_value_at_the_cap_is_kept() -> None:
    assert len(canonical("x" * (LARGEST - 2)).text) == LARGEST


def test_a_circular_value_is_refused() -> None:
    circular: list[Any] = []
    circular.append(circular)

    with pytest.raises(ValidationFailure):
        canonical(circular)


def test_a_value_that_would_unfold_without_end_costs_no_more_than_the_cap() -> None:
    laughs: list[Any] = ["ha"] * 10
    for _ in range(30):
        laughs = [laughs] * 10
    began = time.thread_time()

    with pytest.raises(ValidationFailure):
        canonical(laughs)

    assert time.thread_time() - began < 5
