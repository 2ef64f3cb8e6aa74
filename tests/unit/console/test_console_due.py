"""When a schedule is due next, as the pages tell it."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.console.pages.endpoints.due import next_due

MONDAY = datetime(2026, 11, 16, 11, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "zone", "due"),
    [
        ("15m", "UTC", "2026-11-16T11:15:00+00:00"),
        ("1h", "UTC", "2026-11-16T12:00:00+00:00"),
        ("@daily", "UTC", "2026-11-17T00:00:00+00:00"),
        ("@daily", "Europe/Berlin", "2026-11-16T23:00:00+00:00"),
        ("0 6 * * mon-fri", "Europe/Berlin", "2026-11-17T05:00:00+00:00"),
        ("30 12 * * sun", "UTC", "2026-11-22T12:30:00+00:00"),
        ("30 12 * * 7", "UTC", "2026-11-22T12:30:00+00:00"),
        ("*/20 11 * * *", "UTC", "2026-11-16T11:20:00+00:00"),
        ("0 0 29 2 *", "UTC", "2028-02-29T00:00:00+00:00"),
        ("0 8 1 1,7 *", "America/New_York", "2027-01-01T13:00:00+00:00"),
    ],
)
def test_the_next_moment_is_known(schedule: str, zone: str, due: str) -> None:
    assert next_due(schedule, zone, MONDAY) == datetime.fromisoformat(due)


@given(
    st.sampled_from(["1m", "7m", "90m", "3h", "@hourly", "5,35 * * * *", "0 3 * * *", "15 2 * * sun"]),
    st.timedeltas(timedelta(0), timedelta(days=700)).map(lambda later: MONDAY + later),
)
def test_it_is_later_than_now_and_nothing_comes_between(schedule: str, now: datetime) -> None:
    first = next_due(schedule, "Europe/Berlin", now)
    assert first
    second = next_due(schedule, "Europe/Berlin", first)
    assert second
    halfway = first + (second - first) / 2

    assert all(before < after for before, after in pairwise([now, first, second]))
    assert next_due(schedule, "Europe/Berlin", halfway) == second
    assert next_due(schedule, "Europe/Berlin", first - timedelta(microseconds=1)) == first
