"""What a command prints: tables and pairs for people, JSON for machines."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text


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
    print(json.dumps(plain(value), ensure_ascii=False, indent=2 if sys.stdout.isatty() else None), flush=True)  # noqa: T201


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, empty: str) -> None:
    """Rows under headings; when there are none, a sentence that says so and what to do about it."""
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        drawn.add_column(Text(cell(column.replace("_", " "))), overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell(row.get(column))) for column in columns))
    _print(drawn if drawn.row_count else Text(empty))


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
        return "-"
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
