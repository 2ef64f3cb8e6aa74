"""How paths are named: in text, and back to the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.files.naming import LONGEST, escaped, named, unescaped
from windrow.contracts.errors import ValidationFailure

ODD = [
    b"\\",
    b"\n",
    b"\x7f",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\xed\xa0\x80",
    "ä".encode(),
    b"a",
    b"/",
    b"x41",
    b"#",
]
paths = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(ODD), max_size=30).map(b"".join))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"docs/caf\xc3\xa9 100%.md", "docs/café 100%.md"),
        (b"caf\xe9", r"caf\xe9"),
        (b"two\nlines\t", r"two\x0alines\x09"),
        (b"back\\slash", r"back\\slash"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        (b"\xc2\x9b31m", r"\xc2\x9b31m"),
        ("\u2028".encode(), r"\xe2\x80\xa8"),
        ("👩‍👩‍👧".encode(), "👩‍👩‍👧"),
    ],
)
def test_text_stays_and_what_is_none_is_escaped(raw: bytes, text: str) -> None:
    assert escaped(raw) == text


@given(paths)
def test_an_escaped_path_leads_back_to_its_bytes(raw: bytes) -> None:
    assert unescaped(escaped(raw)) == raw


@given(paths)
def test_an_escaped_path_can_be_stored_and_shown_on_one_line(raw: bytes) -> None:
    text = escaped(raw)

    assert text.encode().decode() == text
    assert "\0" not in text
    assert len(text.splitlines()) <= 1


@given(paths, paths)
def test_two_paths_never_have_one_name(one: bytes, other: bytes) -> None:
    assert (named(one) == named(other)) == (one == other)


def test_a_long_path_is_named_by_its_beginning_and_its_hash() -> None:
    long = b"/".join([b"d\xff" * 60] * 20)

    assert len(named(long)) <= LONGEST
    assert named(long).startswith(escaped(long[:200]))
    assert named(long) != named(long + b"x")


def test_no_path_written_out_looks_like_the_name_of_a_long_one() -> None:
    long = b"\\" * 2000

    assert named(unescaped(named(long).replace("\\#", r"\\#"))) != named(long)


@pytest.mark.parametrize("text", ["\\", r"a\b", r"\xZZ", r"\xF0", r"\#00", "a\\"])
def test_what_was_never_escaped_by_us_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailure):
        unescaped(text)
