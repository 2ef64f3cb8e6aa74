"""How long to wait, whatever the source writes."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.http import retry_after

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.req("HV-42")
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 120 ", 120.0),
        ("1.5", 1.5),
        ("-1", 0.0),
        ("3601", 3600.0),
        ("1e308", 3600.0),
        ("1e999", 3600.0),
        ("9" * 5000, 3600.0),
        ("Tue, 01 Jan 2030 12:00:30 GMT", 30.0),
        ("Tuesday, 01-Jan-30 12:00:30 GMT", 30.0),
        ("Tue Jan  1 12:00:30 2030", 30.0),
        ("Tue, 01 Jan 2030 14:00:30 +0200", 30.0),
        ("Tue, 01 Jan 2030 11:00:00 GMT", 0.0),
        ("Sun, 01 Jan 2040 12:00:00 GMT", 3600.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("NaN", None),
        ("inf", None),
        ("-inf", None),
        ("1 000", None),
        ("١٢", None),
        ("0x10", None),
        ("Tue, 99 Jan 2030 12:00:30 GMT", None),
        ("Tue, 01 Jan 99999 12:00:30 GMT", None),
        ("x" * 10_000, None),
    ],
)
def test_retry_after_is_understood_or_nothing_and_always_within_bounds(
    value: str | None, seconds: float | None
) -> None:
    assert retry_after(value, NOW, HOUR) == seconds


@settings(deadline=None)
@given(
    st.one_of(
        st.text(max_size=80),
        st.floats().map(str),
        st.integers().map(str),
        st.datetimes(timezones=st.just(UTC)).map(lambda moment: format_datetime(moment, usegmt=True)),
    )
)
def test_no_value_leaves_the_bounds(value: str) -> None:
    seconds = retry_after(value, NOW, HOUR)

    assert seconds is None or 0.0 <= seconds <= 3600.0


@settings(deadline=None)
@given(st.integers(0, 3600))
def test_a_date_within_the_hour_is_kept_to_the_second(seconds: int) -> None:
    moment = NOW + timedelta(seconds=seconds)

    assert retry_after(format_datetime(moment, usegmt=True), NOW, HOUR) == seconds
