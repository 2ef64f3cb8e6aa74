"""Which part of a file is asked for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers

from windrow.console.stretch import Stretch, Unsatisfiable, asked_for

ETAG = '"a"'


def asked(size: int, **headers: str) -> Stretch | None:
    return asked_for(Headers({name.replace("_", "-"): value for name, value in headers.items()}), size, ETAG)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("bytes=0-", 0, 100),
        ("bytes=10-19", 10, 20),
        ("bytes=99-99", 99, 100),
        ("bytes=90-1000", 90, 100),
        ("bytes=-10", 90, 100),
        ("bytes=-1000", 0, 100),
    ],
)
def test_a_part_is_what_lies_within_the_file(said: str, start: int, end: int) -> None:
    assert asked(100, range=said) == Stretch(start, end)


@pytest.mark.parametrize(
    "said", ["", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=²-", "bytes=1e3-", "bytes=0x1-"]
)
def test_what_cannot_be_read_as_one_part_is_answered_with_all(said: str) -> None:
    assert asked(100, range=said) is None


@pytest.mark.parametrize("said", ["bytes=100-", "bytes=100-200", "bytes=-0"])
def test_a_part_beyond_the_end_cannot_be_had(said: str) -> None:
    with pytest.raises(Unsatisfiable):
        asked(100, range=said)


def test_who_has_the_beginning_of_another_version_gets_all_of_this_one() -> None:
    assert asked(100, range="bytes=10-", if_range='"b"') is None
    assert asked(100, range="bytes=10-", if_range=ETAG) == Stretch(10, 100)


@settings(max_examples=200)
@given(said=st.text(max_size=20).map(lambda text: f"bytes={text}") | st.from_regex(r"bytes=[0-9]{0,20}-[0-9]{0,20}"))
def test_whatever_is_said_a_part_has_bytes_and_lies_within(said: str) -> None:
    try:
        part = asked_for(Headers(raw=[(b"range", said.encode())]), 50, ETAG)
    except Unsatisfiable:
        return
    assert part is None or 0 <= part.start < part.end <= 50
