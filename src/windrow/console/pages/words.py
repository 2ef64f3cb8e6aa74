"""Numbers and moments as people read them."""

from datetime import UTC, datetime, timedelta

# an en dash: where there is no number
NOTHING = "\u2013"
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def duration(seconds: float | timedelta | None) -> str:
    """In its largest unit, with the next one where that still says something: `45 s`, `3 min`, `2 h 5 min`, `12 d`."""
    if seconds is None:
        return NOTHING
    left = int(seconds.total_seconds() if isinstance(seconds, timedelta) else seconds)
    if left < 60:
        return f"{max(left, 0)} s"
    for index, (size, name) in enumerate(_UNITS):
        if left >= size:
            whole, rest = divmod(left, size)
            finer = rest // _UNITS[index + 1][0] if whole < 10 and index + 1 < len(_UNITS) else 0
            return f"{whole} {name} {finer} {_UNITS[index + 1][1]}" if finer else f"{whole} {name}"
    raise AssertionError("a minute or more")


def ago(moment: datetime | None, now: datetime) -> str:
    """How long ago, or in how long."""
    if moment is None:
        return "never"
    passed = (now - moment).total_seconds()
    if abs(passed) < 1:
        return "now"
    return f"{duration(passed)} ago" if passed > 0 else f"in {duration(-passed)}"


def number(value: float | None) -> str:
    """With thin spaces between thousands."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}".replace(",", "\u202f")


def size(value: float | None) -> str:
    """Bytes."""
    if value is None:
        return NOTHING
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def stamp(moment: datetime | None) -> str:
    """The moment itself."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if moment else NOTHING


def clock(moment: datetime) -> str:
    """The time of day, to the millisecond: lines of a log stand close together."""
    return moment.astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 run`, `2 runs`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"
