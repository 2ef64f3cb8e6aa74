"""How long a video is, by what ISO 8601 allows and not by what can be guessed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.media.enrichment.youtube.duration import seconds

PARTS = st.tuples(
    st.none() | st.integers(0, 400),
    st.none() | st.integers(0, 23),
    st.none() | st.integers(0, 59),
    st.none() | st.integers(0, 59),
).filter(lambda parts: any(part is not None for part in parts))


def written(days: int | None, hours: int | None, minutes: int | None, secs: int | None) -> str:
    clock = "".join(f"{part}{unit}" for part, unit in ((hours, "H"), (minutes, "M"), (secs, "S")) if part is not None)
    return f"P{'' if days is None else f'{days}D'}{f'T{clock}' if clock else ''}"


@settings(max_examples=100)
@given(PARTS)
def test_what_is_written_is_read_again(parts: tuple[int | None, ...]) -> None:
    days, hours, minutes, secs = (part or 0 for part in parts)
    text = written(*parts)

    assert (seconds(text) or 0) == days * 86_400 + hours * 3_600 + minutes * 60 + secs


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("PT15M51S", 951),
        ("PT53M53S", 3233),
        ("P1DT2H3S", 93_603),
        ("P2W", 1_209_600),
        ("PT90M", 5_400),
        ("PT0S", 0),
        ("PT1.5S", 1.5),
        ("PT0,5H", 1800),
        ("P0D", None),
    ],
)
def test_a_length_is_in_seconds(text: str, length: float | None) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize(
    "text",
    [
        *("", " PT1S", "PT1S ", "PT1S\n", "PT1H 1M", "PT\u0661S", "PT" + "9" * 400 + "S"),
        *("P", "PT", "P1DT", "P0DT", "T1S", "1H", "PT1", "PTS", "PT-1S", "-PT1S", "+PT1S", "P-0D", "pt1s", "PT1s"),
        *("P1Y", "P1M", "P1W2D", "PT1M1H", "PT1S1S", "PT1.5M1S", "P1.5DT1S", "PT.5S", "PT1.S", "PT1.5.5S", "PT1e3S"),
    ],
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no duration"):
        seconds(text)


@settings(max_examples=100)
@given(st.text("PTWDHMS0123456789.,-+ ", max_size=16))
def test_it_is_a_number_or_refused(text: str) -> None:
    try:
        found = seconds(text)
    except ValueError:
        return
    assert found is None or found >= 0
