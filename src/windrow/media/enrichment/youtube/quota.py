"""When YouTube may be asked again.

The quota of a project is for a day, and the day begins at midnight in California. Once it is used up, every request until then
would be refused, and would be a request all the same: so none is made. A limit on the rate is waited out in the same way, for
as long as YouTube says, or longer from time to time where it does not.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from windrow.contracts.errors import Code
from windrow.contracts.retry import RetryPolicy
from windrow.media.errors import EnrichmentDelayed
from windrow.telemetry import emit
from windrow.telemetry.catalogue import youtube as telemetry

PACIFIC = ZoneInfo("America/Los_Angeles")
# refused so soon after a reset, the reset has not come through yet, or our clock is ahead: a whole day would be too long
_FRESH = timedelta(minutes=15)
_BACKOFF = RetryPolicy(timedelta(seconds=5), timedelta(minutes=10), attempts=None, spread=0.5)
_MORE = "ask for more in the Google Cloud console; what waits goes on by itself"


def last_reset(now: datetime) -> datetime:
    """The midnight in California with which the present day of the quota began."""
    return _midnight(now, 0)


def next_reset(now: datetime) -> datetime:
    """The midnight in California at which the quota is whole again; the days on which clocks change are 23 and 25 hours long."""
    return _midnight(now, 1)


def _midnight(now: datetime, days: int) -> datetime:
    day = now.astimezone(PACIFIC).date() + timedelta(days=days)
    return datetime.combine(day, time(), PACIFIC).astimezone(UTC)


class Quota:
    """What one key may still do, as far as this process knows."""

    def __init__(self, now: Callable[[], datetime], jitter: Callable[[], float] = random.random) -> None:
        self._now, self._jitter = now, jitter
        self._closed: EnrichmentDelayed | None = None
        self._limited = 0
        self._used = 0
        self._day = last_reset(now())

    def check(self) -> None:
        """Raises the delay that was told before, while it lasts."""
        told = self._closed
        if told is None:
            return
        if told.not_before is not None and self._now() < told.not_before:
            raise EnrichmentDelayed(told.message, code=told.code, hint=told.hint, not_before=told.not_before)
        self._closed = None
        telemetry.EXHAUSTED.set(0)

    def spend(self) -> None:
        """A request goes out: each costs one unit of the day's, whatever comes of it."""
        today = last_reset(self._now())
        self._used = self._used + 1 if today == self._day else 1
        self._day = today
        telemetry.USED.set(self._used)

    def answered(self) -> None:
        """A request was served: the next limit on the rate is a first one."""
        self._limited = 0

    def exhausted(self, message: str) -> EnrichmentDelayed:
        """There is nothing left for today."""
        now = self._now()
        until = now + _FRESH if now - last_reset(now) < _FRESH else next_reset(now)
        emit("youtube.quota_exhausted", not_before=until.isoformat(), used=self._used, reason=message)
        telemetry.EXHAUSTED.set(1)
        return self._close(EnrichmentDelayed(message, code=Code.RATE_LIMITED, hint=_MORE, not_before=until))

    def limited(self, message: str, seconds: float | None) -> EnrichmentDelayed:
        """Too many at a time. Answers to requests that were on their way together count as one."""
        now = self._now()
        told = self._closed
        if told is None or told.not_before is None or told.not_before <= now:
            self._limited += 1
        backoff = _BACKOFF.delay(self._limited, self._jitter())
        assert backoff is not None, "its attempts are not counted"
        until = now + max(backoff, timedelta(seconds=seconds or 0))
        emit("youtube.limited", not_before=until.isoformat(), reason=message)
        return self._close(EnrichmentDelayed(message, code=Code.RATE_LIMITED, not_before=until))

    def _close(self, delay: EnrichmentDelayed) -> EnrichmentDelayed:
        told = self._closed
        if told is None or told.not_before is None or delay.not_before is None or told.not_before < delay.not_before:
            self._closed = delay
        return delay
