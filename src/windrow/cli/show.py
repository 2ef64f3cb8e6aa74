"""What a command prints: tables and pairs for people, JSON for machines."""

import codecs
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

NOTHING = "-"
# a longer word is folded rather than kept whole, and then has at least so much room
_WHOLE, _FOLDED = 36, 20
# a table is for a glance: of a message with five hundred ids the first ones tell what it is
_LONGEST = 400
# the time of day stays behind its date
_BETWEEN_WORDS = re.compile(r" (?!\d\d:)")


def plain(value: Any) -> Any:
    """Any result as what JSON can hold."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(inner) for name, inner in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def document(value: Any) -> None:
    """One JSON document on standard output, at once: whoever reads a process that stays waits for it."""
    # in any other encoding a letter may be one that it has not; as an escape it is the same JSON
    escaped = codecs.lookup(sys.stdout.encoding or "utf-8").name != "utf-8"
    print(json.dumps(plain(value), ensure_ascii=escaped, indent=2 if sys.stdout.isatty() else None), flush=True)  # noqa: T201


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, empty: str) -> None:
    """Rows under headings; when there are none, a sentence that says so and what to do about it.

    Where a terminal is too narrow for the columns, each row is told by itself: a date in four pieces helps nobody.
    """
    headings = [cell(column.replace("_", " ")) for column in columns]
    cells = [[cell(row.get(column)) for column in columns] for row in rows]
    if not cells:
        _print(Text(empty))
        return
    fitted = None
    if sys.stdout.isatty():
        cells = [[_cut(text) for text in row] for row in cells]
        fitted = widths(list(zip(headings, *cells, strict=True)), Console().width)
    if fitted == ():
        for number, row in enumerate(cells):
            _print(_records(headings, row, apart=number > 0))
        return
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for number, heading in enumerate(headings):
        drawn.add_column(Text(heading), overflow="fold", width=fitted[number] if fitted else None)
    for row in cells:
        drawn.add_row(*map(Text, row))
    _print(drawn)


def widths(columns: Sequence[Sequence[str]], room: int) -> tuple[int, ...]:
    """How wide each column is drawn, with two spaces between them; none if what must stay whole does not fit.

    Words and times stay whole. Only those that are very long, such as paths, may be folded.
    """
    natural = [max(map(cell_len, column)) for column in columns]
    longest = [max(cell_len(part) for text in column for part in _BETWEEN_WORDS.split(text)) for column in columns]
    granted = [_FOLDED if most > _WHOLE else most for most in longest]
    left = room - sum(granted) - 2 * (len(columns) - 1)
    if left < 0:
        return ()
    # who wants least is served first; the others share what remains
    order = sorted(range(len(columns)), key=lambda at: natural[at] - granted[at])
    for place, at in enumerate(order):
        more = min(natural[at] - granted[at], left // (len(order) - place))
        granted[at] += more
        left -= more
    return tuple(granted)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… (--json prints all of it)"


def _records(headings: Sequence[str], row: Sequence[str], *, apart: bool) -> RenderableType:
    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(style="bold", width=max(map(cell_len, headings)))
    drawn.add_column(overflow="fold")
    if apart:
        drawn.add_row("", "")
    for heading, text in zip(headings, row, strict=True):
        if text not in ("", NOTHING):
            drawn.add_row(Text(heading), Text(text))
    return drawn


def pairs(values: Mapping[str, Any]) -> None:
    """Names and values, one a line."""
    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(style="bold")
    drawn.add_column(overflow="fold")
    for name, value in values.items():
        drawn.add_row(Text(cell(name.replace("_", " "))), Text(cell(value)))
    _print(drawn)


def cell(value: Any) -> str:
    """A value as a person reads it; control characters cannot move the cursor."""
    if value is None:
        return NOTHING
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    simple = plain(value)
    text = simple if isinstance(simple, str) else json.dumps(simple, ensure_ascii=False)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _print(drawn: RenderableType) -> None:
    if sys.stdout.isatty():
        Console(highlight=False).print(drawn)
        return
    # a pipe has no width: nothing is folded or cut for it, and no line is padded
    console = Console(highlight=False, width=10_000)
    with console.capture() as captured:
        console.print(drawn)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))
    sys.stdout.flush()
