"""Times by RFC 3339."""

import re
from datetime import UTC, datetime, timedelta, timezone

from windrow.media.errors import DecodeMessageError

_SHAPE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)


def timestamp(text: str) -> datetime:
    """The moment, in UTC and to the microsecond. A leap second is the first second after it, as on every Unix clock."""
    shape = _SHAPE.fullmatch(text)
    try:
        moment = _moment(shape) if shape else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise DecodeMessageError(f"{text[:40]!r} is no time", hint="write it as RFC 3339: 2026-01-31T12:00:00Z")
    return moment


def _moment(shape: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second = map(int, shape.groups()[:6])
    leap = second == 60
    micro = int((shape[7] or "0")[:6].ljust(6, "0"))
    moment = datetime(year, month, day, hour, minute, 59 if leap else second, micro, _zone(shape)).astimezone(UTC)
    if not leap:
        return moment
    # wherever the clock hangs, a second is added only at the end of a day of UTC
    return moment + timedelta(seconds=1) if (moment.hour, moment.minute) == (23, 59) else None


def _zone(shape: re.Match[str]) -> timezone:
    if not shape[8]:
        return UTC
    ahead = timedelta(hours=int(shape[9]), minutes=int(shape[10]))
    return timezone(ahead if shape[8] == "+" else -ahead)
