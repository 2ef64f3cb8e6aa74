"""What may be asked for: a source that can be named, and a stretch that has a length."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windrow.clips.asked import Asked, micro, seconds

SOURCE = "object:films/one.mp4"


def refusal(**wish: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        Asked(**({"source": SOURCE, "start": 0, "end": 1} | wish))
    return str(refused.value)


@pytest.mark.parametrize(
    "source",
    ["object:a", "object:films/one.mp4", "file:/srv/film.mkv", "http://example.org/a.mp4", "https://example.org/?v=1"],
)
def test_objects_files_and_addresses_are_sources(source: str) -> None:
    assert Asked(source=source, start=0, end=1).source == source


@pytest.mark.parametrize(
    "source",
    [
        "",
        "film.mp4",
        "object:",
        "file:film.mp4",
        "file://",
        "https://",
        "ftp://example.org/a",
        "concat:a|b",
        "object:a\nb",
    ],
)
def test_nothing_else_is_one(source: str) -> None:
    assert "source" in refusal(source=source)


@pytest.mark.parametrize(
    ("start", "end"), [(1, 1), (2, 1), (1, 1.0000001), (0, 0)], ids=["equal", "turned", "too short", "nothing"]
)
@pytest.mark.req("RR-7")
def test_a_stretch_without_a_length_is_refused(start: float, end: float) -> None:
    assert "is not after the start" in refusal(start=start, end=end)


@pytest.mark.parametrize("field", ["start", "end"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 1e9, "soon", None, "1:75", "1:2:3:4", "-1", ""])
def test_a_time_that_is_none_is_refused(field: str, value: Any) -> None:
    assert field in refusal(**{field: value})


def test_what_nobody_knows_is_refused() -> None:
    assert "extra" in refusal(speed=2)


@pytest.mark.parametrize(
    ("written", "meant"), [("83.5", 83.5), ("1:23.5", 83.5), ("01:02:03", 3723), ("0:00", 0), ("100:00:00", 360_000)]
)
def test_times_are_taken_as_people_write_them(written: str, meant: float) -> None:
    assert Asked(source=SOURCE, start=written, end=999_999).start == meant  # type: ignore[arg-type]


@given(st.integers(0, 99), st.integers(0, 59), st.floats(0, 59.999))
def test_hours_minutes_and_seconds_add_up(hours: int, minutes: int, rest: float) -> None:
    assert micro(seconds(f"{hours}:{minutes}:{rest:.6f}")) == pytest.approx(
        micro(hours * 3600 + minutes * 60 + rest), abs=1
    )


def test_the_length_is_exact_to_the_microsecond() -> None:
    assert Asked(source=SOURCE, start=0.1, end=0.3).length == 0.2
