"""The log of a run, on its page: the latest lines, or a page of them from the beginning on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from windrow.harvest import lines as store
from windrow.harvest.lines import Line
from windrow.postgres import Transaction
from windrow.telemetry.declare import Level

SHOWN = 100
TONES = {"INFO": "calm", "WARN": "warn", "ERROR": "bad", "FATAL": "bad"}
# larger than any number of lines, and still one that Postgres takes
_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line as it is drawn, behind so many that were left out."""

    line: Line
    left_out: int

    @property
    def fields(self) -> list[tuple[str, str]]:
        return [(name, _text(value)) for name, value in self.line.fields.items() if name != "error"]

    @property
    def error(self) -> str | None:
        said = self.line.fields.get("error")
        return None if said is None else _text(said)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which lines: behind a number or, without one, the latest; all of them, or the serious ones."""

    after: int | None
    serious: bool

    @classmethod
    def of(cls, query: QueryParams) -> "Asked":
        number = query.get("lines", "")
        known = number.isascii() and number.isdigit() and len(number) <= _DIGITS
        return cls(int(number) if known else None, query.get("level") == Level.WARN)

    def query(self, after: int | None) -> str:
        """The way to other lines of the same levels."""
        said = ({} if after is None else {"lines": after}) | ({"level": Level.WARN} if self.serious else {})
        return f"?{urlencode(said)}" if said else ""


@dataclass(frozen=True, slots=True)
class Log:
    """The lines that are shown, and the ways to others."""

    asked: Asked
    lines: list[Drawn]
    later: str | None
    earlier: bool

    @property
    def here(self) -> str:
        return self.asked.query(self.asked.after)


async def look(tx: Transaction, run_id: str, asked: Asked) -> Log:
    """One look at a run's log."""
    level = Level.WARN if asked.serious else Level.INFO
    if asked.after is None:
        found = await store.latest(tx, run_id, level=level, limit=SHOWN + 1)
        more, shown = len(found) > SHOWN, found[-SHOWN:]
        return Log(asked, _drawn(shown, shown[0].number - 1 if more else 0, asked), None, earlier=more)
    found = await store.lines(tx, run_id, after=asked.after, level=level, limit=SHOWN + 1)
    shown = found[:SHOWN]
    later = asked.query(shown[-1].number) if len(found) > SHOWN else None
    return Log(asked, _drawn(shown, asked.after, asked), later, earlier=asked.after > 0)


def _drawn(shown: Sequence[Line], before: int, asked: Asked) -> list[Drawn]:
    """Of serious lines nobody can say how many others stood between them. Lines are numbered as they are written, and several
    processes write those of one run: where none is left out between them, they are drawn in the order of time."""
    befores = [before, *(line.number for line in shown)]
    drawn = [
        Drawn(line, 0 if asked.serious else line.number - last - 1) for line, last in zip(shown, befores, strict=False)
    ]
    return drawn if any(each.left_out for each in drawn) else sorted(drawn, key=lambda each: each.line.at)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
