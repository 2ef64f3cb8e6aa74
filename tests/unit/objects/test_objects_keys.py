"""What an object may be called, and what is said of a key that it may not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.objects.keys import checked_key, checked_prefix


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("", "is empty"),
        ("/a", "begins or ends with a slash"),
        ("a/", "begins or ends with a slash"),
        ("a//b", "has an empty segment"),
        ("a/./b", "has the segment '.'"),
        ("../a", "has the segment '..'"),
        ("a\\b", "has a backslash"),
        ("a\x00b", "has a control character"),
        ("a\r\nb", "has a control character"),
        ("a\udc80", "has a control character or one that cannot be written"),
        ("ä" * 101, "has a segment longer than 200 bytes"),
        ("/".join(["a" * 180] * 5), "is longer than 900 bytes"),
    ],
)
def test_the_error_names_the_rule_that_a_key_breaks(key: str, rule: str) -> None:
    with pytest.raises(ValidationFailure) as raised:
        checked_key(key)

    assert raised.value.code is Code.INVALID_KEY
    assert rule in raised.value.message
    assert "\n" not in raised.value.message


@given(st.text())
def test_a_checked_key_can_never_leave_its_folder(key: str) -> None:
    try:
        checked_key(key)
    except ValidationFailure:
        return

    segments = key.split("/")
    assert not {"", ".", ".."}.intersection(segments)
    assert not any(character < " " or character == "\\" for character in key)
    assert len(key.encode()) <= 900


@given(st.lists(st.text("abc.%+ üß日", min_size=1, max_size=40), min_size=1, max_size=6))
def test_ordinary_segments_make_a_key(segments: list[str]) -> None:
    if not {".", ".."}.intersection(segments):
        key = "/".join(segments)
        assert checked_key(key) == key


@pytest.mark.parametrize(("prefix", "folder"), [("", ""), ("a", "a"), ("a/b/", "a/b")])
def test_a_prefix_is_a_folder_with_or_without_its_slash(prefix: str, folder: str) -> None:
    assert checked_prefix(prefix) == folder


@pytest.mark.parametrize("prefix", ["/", "a//", "/a", "..", "a/../b"])
def test_a_malformed_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(ValidationFailure):
        checked_prefix(prefix)
