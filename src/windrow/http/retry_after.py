"""How long a source asks us to wait: `Retry-After`, in seconds or as a date, whatever nonsense it holds."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


def retry_after(value: str | None, now: datetime, ceiling: timedelta) -> float | None:
    """Seconds to wait, from 0 to the ceiling; None where the source did not say anything that can be understood.

    `now` is the source's own clock where it sent one: a date means what its sender meant.
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        seconds = float(text)
    elif (moment := http_date(text)) is not None:
        seconds = (moment - now).total_seconds()
    else:
        return None
    return min(max(seconds, 0.0), ceiling.total_seconds())


def http_date(value: str | None) -> datetime | None:
    """A date as HTTP writes it, in any of its three forms; None for anything else."""
    if not value or len(value) > 64:
        return None
    try:
        moment = parsedate_to_datetime(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
