"""When an endpoint is harvested by itself: a cron line of five fields, `@hourly` and the like, or an interval. In UTC.

Only what Temporal, which will keep the time, and everybody's cron read alike is accepted.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from windrow.contracts.errors import Code, ValidationFailure

HINT = "write minute hour day month weekday such as `0 6 * * mon-fri`, or @hourly, @daily, or an interval such as 15m, 1h (UTC)"

LONGEST = 200
SHORTEST_INTERVAL, LONGEST_INTERVAL = timedelta(minutes=1), timedelta(days=366)

_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_INTERVAL = re.compile(r"(?P<number>[1-9][0-9]{0,6})(?P<unit>[smhd])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_PART = re.compile(r"(?:\*|(?P<first>[0-9a-z]{1,3})(?:-(?P<last>[0-9a-z]{1,3}))?)(?:/(?P<step>[0-9]{1,2}))?", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# the longest that each month ever is
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Field:
    """One of the five: its name, its bounds, and the names that its numbers have."""

    name: str
    lowest: int
    highest: int
    names: tuple[str, ...] = ()

    def values(self, text: str) -> frozenset[int]:
        """The numbers that the text stands for."""
        return frozenset(value for part in text.split(",") for value in self._part(part))

    def _part(self, part: str) -> range:
        found = _PART.fullmatch(part)
        if found is None or (found["step"] and not found["last"] and found["first"]):
            # what `5/10` means, cron and Temporal do not agree on
            self._refuse(part)
        first = self._number(part, found["first"]) if found["first"] else self.lowest
        last = self._number(part, found["last"]) if found["last"] else first if found["first"] else self.highest
        step = int(found["step"]) if found["step"] else 1
        if first > last or not 1 <= step <= self.highest:
            self._refuse(part)
        return range(first, last + 1, step)

    def _number(self, part: str, text: str) -> int:
        if text in self.names:
            return self.names.index(text) + self.lowest
        if not text.isdecimal() or not self.lowest <= int(text) <= self.highest:
            self._refuse(part)
        return int(text)

    def _refuse(self, part: str) -> NoReturn:
        raise _refusal(f"{part[:40]!r} is no {self.name}")


FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of the month", 1, 31),
    Field("month", 1, 12, _MONTHS),
    Field("day of the week", 0, 7, _DAYS),
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule in its one spelling: either a cron line of five fields or an interval."""

    text: str
    cron: str | None = None
    every: timedelta | None = None

    @classmethod
    def parse(cls, text: str) -> "Schedule":
        """The schedule that the text spells."""
        if len(text) > LONGEST:
            raise _refusal("it is longer than any schedule is")
        spelled = " ".join(text.lower().split())
        if interval := _INTERVAL.fullmatch(spelled):
            return cls(spelled, every=_every(interval["number"], interval["unit"]))
        cron = _NICKNAMES.get(spelled, spelled)
        _check(cron.split(" "))
        return cls(spelled, cron=cron)

    def __str__(self) -> str:
        return self.text


def _every(number: str, unit: str) -> timedelta:
    every = timedelta(**{_UNITS[unit]: int(number)})
    if not SHORTEST_INTERVAL <= every <= LONGEST_INTERVAL:
        raise _refusal("an interval is at least 1m and at most 366d")
    return every


def _check(fields: list[str]) -> None:
    if len(fields) != len(FIELDS):
        raise _refusal("it is neither five fields nor an interval nor a known @name")
    _, _, days, months, _ = (field.values(text) for field, text in zip(FIELDS, fields, strict=True))
    if fields[2] != "*" and fields[4] != "*":
        # cron takes either, Temporal only days that are both
        raise _refusal("it names both days of the month and days of the week, which not everybody reads alike")
    if min(days) > max(_LENGTHS[month - 1] for month in months):
        raise _refusal("no such day ever comes")


def _refusal(why: str) -> ValidationFailure:
    return ValidationFailure(f"the schedule is refused: {why}", code=Code.INVALID, hint=HINT)
