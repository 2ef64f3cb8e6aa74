"""From when on changes are asked for, in the words of CQL: to the minute, in a time zone that the query does not name.

CQL reads a date in the time zone of the account that asks. Where that is not known, the date is written as the
westernmost zone has it, so that in no zone does it mean a later moment; what is read twice by it is unchanged, and costs a
request or two.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

# the search learns of a change some minutes late, and two machines' clocks are never quite the same
OVERLAP = timedelta(minutes=15)
_WESTERNMOST = timedelta(hours=-12)
_STEP = timedelta(hours=1)


def since(watermark: datetime, zone: ZoneInfo | None) -> str:
    """The date for `lastmodified >=`: whatever it is taken for, it is before the watermark, by the overlap at least."""
    wanted = watermark.astimezone(UTC) - OVERLAP
    if zone is None:
        return _written(wanted + _WESTERNMOST)
    local = wanted.astimezone(zone).replace(tzinfo=None)
    # when clocks are put back an hour comes twice, when they are put forward one is not there: no reading may be too late
    while any(_meant(local, zone, fold) > wanted for fold in (0, 1)):
        local -= _STEP
    return _written(local)


def _meant(local: datetime, zone: ZoneInfo, fold: int) -> datetime:
    return local.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")
