"""From when on changes are asked for."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.confluence.window import OVERLAP, since

ZONES = ("Pacific/Kiritimati", "Etc/GMT+12", "Australia/Lord_Howe", "America/St_Johns", "Europe/Berlin", "UTC")
moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def meant(written: str, zone: ZoneInfo, fold: int) -> datetime:
    """What a site in that zone takes it for, whichever way it reads an hour that comes twice or never."""
    local = datetime.strptime(written, "%Y-%m-%d %H:%M").replace(tzinfo=zone, fold=fold)
    return local.astimezone(UTC)


@given(moments, st.sampled_from(ZONES), st.sampled_from((0, 1)))
def test_in_whatever_zone_the_site_reads_it_the_window_begins_before_the_overlap(
    watermark: datetime, zone: str, fold: int
) -> None:
    begins = meant(since(watermark, None), ZoneInfo(zone), fold)

    assert watermark - timedelta(hours=28) < begins <= watermark - OVERLAP


@given(moments, st.sampled_from(ZONES), st.sampled_from((0, 1)))
def test_where_the_zone_is_known_the_window_is_narrow_and_still_wide_enough(
    watermark: datetime, zone: str, fold: int
) -> None:
    begins = meant(since(watermark, ZoneInfo(zone)), ZoneInfo(zone), fold)

    assert watermark - timedelta(hours=3) < begins <= watermark - OVERLAP


@pytest.mark.parametrize("minute", [0, 20, 40])
@pytest.mark.parametrize("hour", [0, 1, 2])
@pytest.mark.parametrize("day", [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)])
def test_no_change_is_lost_when_the_clocks_are_changed(day: datetime, hour: int, minute: int) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    watermark = day + timedelta(hours=hour, minutes=minute)

    assert all(meant(since(watermark, berlin), berlin, fold) <= watermark - OVERLAP for fold in (0, 1))
