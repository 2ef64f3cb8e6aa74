"""Numbers and moments as the pages say them; charts as the pages draw them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.console.pages.charts import columns, shares
from windrow.console.pages.words import ago, duration, number, size

NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0 s"),
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3660, "1 h 1 min"),
        (86400, "1 d"),
        (90000, "1 d 1 h"),
        (864000 + 3600, "10 d"),
    ],
)
def test_a_duration_is_said_in_its_largest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_moments_are_said_from_now() -> None:
    assert ago(NOW - timedelta(minutes=3), NOW) == "3 min ago"
    assert ago(NOW + timedelta(hours=2), NOW) == "in 2 h"
    assert ago(None, NOW) == "never"


def test_large_numbers_can_be_read() -> None:
    assert (number(1234567), number(None), size(999), size(1536), size(3 * 1024**3)) == (
        "1\u202f234\u202f567",
        "\u2013",
        "999 B",
        "1.5 KiB",
        "3.0 GiB",
    )


@given(st.lists(st.dictionaries(st.sampled_from(["done", "failed"]), st.integers(0, 10**9)), max_size=40))
def test_columns_stay_within_their_chart_and_nothing_that_is_there_is_invisible(series: list[dict[str, int]]) -> None:
    chart = columns(series, "words")

    drawn = [block for block in chart.blocks if block.kind != "nothing"]
    assert len(drawn) == sum(value > 0 for step in series for value in step.values())
    for block in chart.blocks:
        assert 0 <= block.x <= chart.width
        assert block.x + block.width <= chart.width + 0.1
        assert 0 <= block.y <= chart.height
        assert block.height > 0


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10**6), max_size=8))
def test_shares_fill_their_bar_and_each_can_be_seen(counts: dict[str, int]) -> None:
    chart = shares(counts, "words")

    assert len(chart.blocks) == sum(count > 0 for count in counts.values())
    assert all(block.width >= 1 for block in chart.blocks)
    if chart.blocks:
        assert chart.blocks[-1].x + chart.blocks[-1].width == pytest.approx(chart.width - 2, abs=0.2)
