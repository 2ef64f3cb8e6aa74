"""When a schedule is due next. Temporal keeps the time; this only tells people what it will do."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from windrow.endpoints.schedule import FIELDS, Schedule

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# the 29th of February comes once in eight years at the worst
_FARTHEST = 366 * 8 + 1


def next_due(schedule: str, time_zone: str, now: datetime) -> datetime | None:
    """The next moment after now, before any jitter; None where none comes."""
    meant = Schedule.parse(schedule)
    if meant.every:
        return now + (meant.every - (now - _EPOCH) % meant.every)
    assert meant.cron, "one or the other"
    zone = ZoneInfo(time_zone)
    return next((moment for moment in _moments(meant.cron, now.astimezone(zone).date(), zone) if moment > now), None)


def _moments(cron: str, first: date, zone: ZoneInfo) -> Iterator[datetime]:
    minutes, hours, days, months, weekdays = (
        field.values(text) for field, text in zip(FIELDS, cron.split(" "), strict=True)
    )
    # Sunday is 0 and 7
    week = {day % 7 for day in weekdays}
    for offset in range(_FARTHEST):
        day = first + timedelta(days=offset)
        if day.month in months and day.day in days and day.isoweekday() % 7 in week:
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    yield datetime.combine(day, time(hour, minute), zone).astimezone(UTC)
