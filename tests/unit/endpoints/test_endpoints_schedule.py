"""When an endpoint is harvested by itself: what is a schedule, and what is refused rather than misread."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import ValidationFailure
from windrow.endpoints import Schedule
from windrow.endpoints.schedule import FIELDS


@pytest.mark.parametrize(
    "text",
    [
        "* * * * *",
        "*/15 * * * *",
        "0 6 * * mon-fri",
        "5,35 0-6/2,22 1 jan,jul *",
        "0 0 29 2 *",
        "0 0 * * 7",
        "0 0 31 * *",
    ],
)
def test_a_cron_line_of_five_fields_is_kept_as_it_is(text: str) -> None:
    assert Schedule.parse(text) == Schedule(text, cron=text)


@pytest.mark.parametrize(
    ("text", "cron"), [("@hourly", "0 * * * *"), ("@Daily", "0 0 * * *"), ("@yearly", "0 0 1 1 *")]
)
def test_a_nickname_stands_for_a_cron_line(text: str, cron: str) -> None:
    assert Schedule.parse(text).cron == cron


@pytest.mark.parametrize(
    ("text", "every"), [("15m", timedelta(minutes=15)), ("1h", timedelta(hours=1)), ("90s", timedelta(seconds=90))]
)
def test_an_interval_is_a_number_and_a_unit(text: str, every: timedelta) -> None:
    assert Schedule.parse(text) == Schedule(text, every=every)


def test_spaces_and_capitals_do_not_make_another_schedule() -> None:
    assert Schedule.parse("  0  6 * *\tMON ") == Schedule.parse("0 6 * * mon")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "often",
        "@every 5m",
        "@reboot",
        "* * * *",
        "0 * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "* * * foo *",
        "mon * * * *",
        "*/0 * * * *",
        "*/60 * * * *",
        "5-1 * * * *",
        "1,,2 * * * *",
        "-5 * * * *",
        "5/10 * * * *",
        "٣ * * * *",
        "CRON_TZ=Europe/Berlin 0 6 * * *",
        "0 0 30 2 *",
        "0 0 31 feb,apr,jun,sep,nov *",
        "0 0 13 * fri",
        "1m30s",
        "0m",
        "-5m",
        "1.5h",
        "59s",
        "367d",
        "99999999m",
        "* " * 200,
    ],
)
def test_whatever_is_no_schedule_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(ValidationFailure, match="schedule is refused") as refused:
        Schedule.parse(text)
    assert "0 6 * * mon-fri" in (refused.value.hint or "")


@given(text=st.text(max_size=40) | st.from_regex(r"[0-9*/,a-z@ -]{1,30}", fullmatch=True))
def test_any_text_is_a_schedule_or_refused(text: str) -> None:
    try:
        schedule = Schedule.parse(text)
    except ValidationFailure:
        return
    assert Schedule.parse(schedule.text) == schedule
    assert (schedule.cron is None) != (schedule.every is None)


@given(data=st.data())
def test_a_fields_values_lie_within_its_bounds(data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(FIELDS))
    first, last = sorted(data.draw(st.tuples(*[st.integers(field.lowest, field.highest)] * 2)))
    step = data.draw(st.integers(1, field.highest))

    values = field.values(f"{first}-{last}/{step}")

    assert values == frozenset(range(first, last + 1, step))
