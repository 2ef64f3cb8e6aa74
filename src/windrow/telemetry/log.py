"""Log lines by the taxonomy: `emit("kv.written", key=…)`; the level and the required fields are the declaration's."""

import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TextIO

from windrow.telemetry import catalogue, context
from windrow.telemetry.declare import Level
from windrow.telemetry.redaction import PROCESS

# LT-1: on every line, whatever the event; D20: what is not known yet is the word `unknown`
REQUIRED = ("agent", "directive", "tenant_id", "project_id", "spec_id", "correlation_id")
UNKNOWN = "unknown"
_ORDER = list(Level)
_REMARKABLE = _ORDER.index(Level.INFO)
_COLOURS = {"DEBUG": "\033[2m", "INFO": "\033[36m", "WARN": "\033[33m", "ERROR": "\033[31m", "FATAL": "\033[1;31m"}

# what a person at a terminal is spared: four lines of whereabouts for one of news. A machine gets all of it
_HIDDEN = frozenset({"timestamp", "level", "event", "error", "directive", "spec_id", "workflow_id", "temporal_run_id"})
# so much of an id tells which lines belong together
_END = 8

# given a line as it would be written, redacted; it neither waits nor raises
Listener = Callable[[dict[str, Any]], None]


class Format(StrEnum):
    """How lines are written."""

    AUTO = "auto"
    JSON = "json"
    PRETTY = "pretty"


class UndeclaredEvent(Exception):
    """An event that the taxonomy does not know, or without a field that it requires. Raised where `strict` is set."""


class _Output:
    """Where lines go and how they look. Set once by `configure`; until then nothing is written.

    One for the process, as with `logging`: whoever has something to say must not need to be handed the means.
    """

    def __init__(self) -> None:
        self.write: Callable[[str], object] | None = None
        self.render: Callable[[dict[str, Any]], str] = as_json
        self.threshold = _REMARKABLE
        self.strict = False
        self.listeners: tuple[Listener, ...] = ()


def emit(event: str, *, error: BaseException | None = None, **fields: Any) -> None:
    """Say that something remarkable happened."""
    declared = catalogue.events().get(event)
    if _output.strict:
        missing = set(declared.fields) - fields.keys() - ({"error"} if error else set()) if declared else {"?"}
        if declared is None or missing:
            raise UndeclaredEvent(f"{event}: not declared, or lacks {sorted(missing)}")
    level = declared.level if declared else Level.WARN
    rank = _ORDER.index(level)
    write = _output.write if rank >= _output.threshold else None
    listeners = _output.listeners if rank >= _REMARKABLE else ()
    if write is None and not listeners:
        return
    if error is not None:
        fields["error"] = "".join(traceback.format_exception(error)).rstrip()
    said = line(level, event, fields)
    if write is not None:
        write(_output.render(said) + "\n")
    for listener in listeners:
        listener(said)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have the listener told every line of level INFO and above, whatever is written; from any thread."""
    _output.listeners += (listener,)
    try:
        yield
    finally:
        _output.listeners = tuple(each for each in _output.listeners if each is not listener)


def line(level: Level, event: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The whole line: time, level, event, what the context knows, the fields; redacted."""
    known = {**dict.fromkeys(REQUIRED, UNKNOWN), **context.current()}
    said = {name: value for name, value in fields.items() if value is not None}
    stamp = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    redacted: dict[str, Any] = PROCESS.value(known | said)
    return {"timestamp": stamp, "level": str(level), "event": event, **redacted}


def as_json(said: dict[str, Any]) -> str:
    """One JSON object on one line: control characters are escaped by the encoding itself."""
    return json.dumps(said, default=str, ensure_ascii=True)


def as_pretty(said: dict[str, Any]) -> str:
    """A line for a person: time, level, event, what it says, then whose it is; no control character gets through."""
    level = said["level"]
    told = {name: value for name, value in said.items() if name not in _HIDDEN and value != UNKNOWN}
    whose = {name: told.pop(name) for name in REQUIRED if name in told}
    if "correlation_id" in whose:
        whose["correlation_id"] = str(whose["correlation_id"])[-_END:]
    shown = [f"\033[2m{name}=\033[0m{_printable(value)}" for name, value in (told | whose).items()]
    head = f"\033[2m{said['timestamp'][11:23]}\033[0m {_COLOURS[level]}{level:<5}\033[0m {said['event']}"
    trace = "".join(f"\n      {_printable(row)}" for row in str(said.get("error", "")).splitlines())
    return " ".join([head, *shown]) + trace


def _printable(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


class LibraryHandler(logging.Handler):
    """What libraries say through `logging`, in our taxonomy."""

    def emit(self, record: logging.LogRecord) -> None:
        event = "library.warned" if record.levelno >= logging.WARNING else "library.logged"
        emit(
            event,
            error=record.exc_info[1] if record.exc_info else None,
            logger=record.name,
            message=record.getMessage(),
        )


def configure(
    *,
    format: Format = Format.AUTO,  # noqa: A002 - the setting is called so
    level: Level = Level.INFO,
    stream: TextIO | None = None,
    write: Callable[[str], object] | None = None,
    strict: bool = False,
) -> None:
    """Begin to write. `strict` makes an undeclared event an error, as in the tests."""
    target = stream or sys.stderr
    pretty = format is Format.PRETTY or (format is Format.AUTO and target.isatty())
    _output.write = write or target.write
    _output.render = as_pretty if pretty else as_json
    _output.threshold = _ORDER.index(level)
    _output.strict = strict
    root = logging.getLogger()
    root.handlers = [handler for handler in root.handlers if not isinstance(handler, LibraryHandler)]
    root.addHandler(LibraryHandler())
    root.setLevel(logging.WARNING)


_output = _Output()
