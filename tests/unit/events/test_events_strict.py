"""JSON and base64 that everybody reads alike, and nothing else."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.events.strict import DEEPEST, MOST_PARTS, base64_of, json_of
from windrow.media.errors import DecodeMessageError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=50, deadline=None)
@given(JSON, st.booleans())
def test_sound_json_comes_back(value: object, ascii_only: bool) -> None:
    assert json_of(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(b'{"a": 1, "a": 1}', "twice", id="a name twice"),
        pytest.param(b'[{"b": {"a": 1, "\\u0061": 2}}]', "twice", id="a name twice, once in disguise, further down"),
        pytest.param(b"[NaN]", "NaN", id="not a number"),
        pytest.param(b'{"a": -Infinity}', "Infinity", id="infinity"),
        pytest.param(b"[1e999]", "bounds", id="a number that would become infinity"),
        pytest.param(b"[" + b"9" * 5000 + b"]", "64 bits", id="a number of five thousand digits"),
        pytest.param(b'["\\ud800"]', "surrogate", id="half a character in a value"),
        pytest.param(b'{"\\udc00": 1}', "surrogate", id="half a character in a name"),
        pytest.param(b'"\xed\xa0\x80"', "UTF-8", id="half a character in bytes"),
        pytest.param("{}".encode("utf-16"), "UTF-8", id="another encoding"),
        pytest.param(b"\xef\xbb\xbf{}", "no JSON", id="a byte order mark"),
        pytest.param(b"", "no JSON", id="nothing"),
        pytest.param(b"<html></html>", "no JSON", id="HTML"),
        pytest.param(b"\x1f\x8b\x08\x00", "UTF-8", id="gzip"),
        pytest.param(b"{} {}", "no JSON", id="two documents"),
        pytest.param(b"['a']", "no JSON", id="single quotes"),
        pytest.param(b'["a\nb"]', "no JSON", id="a line break in a text"),
        pytest.param(b"[01]", "no JSON", id="a leading zero"),
        pytest.param(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "deep", id="one level too many"),
        pytest.param(b"[" * 10_000 + b"]" * 10_000, "deep", id="ten thousand arrays in one another"),
        pytest.param(b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "deep", id="ten thousand objects in one another"),
        pytest.param(b"[" + b"0," * (MOST_PARTS + 1) + b"0]", "too many", id="more parts than anybody sends"),
    ],
)
def test_what_is_not_sound_is_refused_with_its_reason(text: bytes, words: str) -> None:
    with pytest.raises(DecodeMessageError, match=words):
        json_of(text)


def test_as_many_levels_as_are_allowed_are_read() -> None:
    assert json_of(b"[" * DEEPEST + b"]" * DEEPEST)


def test_a_character_in_two_halves_is_whole() -> None:
    assert json_of(b'"\\ud83d\\ude00"') == "\U0001f600"


@settings(max_examples=50, deadline=None)
@given(st.binary())
def test_base64_comes_back(raw: bytes) -> None:
    assert base64_of(b64encode(raw).decode()) == raw


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Zg", id="no padding"),
        pytest.param("Zg=", id="half of the padding"),
        pytest.param("Zg===", id="too much padding"),
        pytest.param("Zh==", id="bits beyond the last byte"),
        pytest.param("Zm9v\n", id="a line break"),
        pytest.param("Zm 9v", id="a blank"),
        pytest.param("-_-_", id="the alphabet of URLs"),
        pytest.param("Zg==Zg==", id="two in one"),
        pytest.param("=", id="padding alone"),
        pytest.param("Zm9ö", id="a letter that is not ASCII"),
        pytest.param("Zm9\ud800", id="half a character"),
    ],
)
def test_what_is_no_base64_is_refused(text: str) -> None:
    with pytest.raises(DecodeMessageError, match="base64"):
        base64_of(text)
