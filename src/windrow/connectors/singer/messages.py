"""The messages of Singer, read from lines. A line that is none becomes a `Bad` one, and costs no other."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from windrow.connectors.singer.lines import Line
from windrow.contracts.storable import DEEPEST
from windrow.telemetry import redact

_SHOWN = 300


class Schema(Struct, frozen=True):
    """What a stream's records look like, and which of their fields name one."""

    stream: str
    keys: tuple[str, ...]
    bookmarks: tuple[str, ...] = ()


class Record(Struct, frozen=True):
    """One thing of a stream."""

    stream: str
    fields: dict[str, Any]
    size: int


class State(Struct, frozen=True):
    """Where the tap could go on: all that came before it is not needed again."""

    value: dict[str, Any]


class Bad(Struct, frozen=True):
    """A line that cannot be understood: why, its redacted beginning, and how long it is."""

    reason: str
    text: str
    size: int


class Batch(Struct, frozen=True):
    """Records that are in files of the tap's own."""

    stream: str


class Other(Struct, frozen=True):
    """A message that has no meaning for us: ACTIVATE_VERSION, or one that nobody knows."""

    kind: str


Message = Schema | Record | State | Bad | Batch | Other


def parse(line: Line) -> Message | None:
    """The message in a line; None for an empty one."""
    if line.cut:
        return Bad(f"a message of {line.length} bytes", "", line.length)
    if not line.text.strip():
        return None
    try:
        given = msgspec.json.decode(line.text)
        return _bad("a message that is nested too deeply", line) if _too_deep(given, line) else _message(given, line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return _bad("a line that is not JSON", line)
    except (KeyError, TypeError) as error:
        return _bad(f"a message without what it needs: {error}"[:_SHOWN], line)


def _message(given: Any, line: Line) -> Message:
    if not isinstance(given, dict):
        return _bad("a line that is no JSON object", line)
    match given.get("type"):
        case "RECORD":
            return Record(_text(given["stream"]), _object(given["record"]), line.length)
        case "STATE":
            return State(_object(given["value"]))
        case "SCHEMA":
            _object(given["schema"])
            bookmarks = _texts(given.get("bookmark_properties") or ())
            return Schema(_text(given["stream"]), _texts(given["key_properties"] or ()), bookmarks)
        case "BATCH":
            return Batch(_text(given["stream"]))
        case str(kind):
            return Other(kind[:80])
        case _:
            return _bad("a message without a type", line)


def _too_deep(given: Any, line: Line) -> bool:
    """Whether anything that works through it, level by level, could run out of stack."""
    # hardly ever more than a few: only then it is worth a look
    if line.text.count(b"{") + line.text.count(b"[") <= DEEPEST:
        return False
    level = [given]
    for _ in range(DEEPEST):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [part for parts in inner for part in parts]
    return bool(level)


def _text(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise TypeError("a text is due")


def _texts(value: Any) -> tuple[str, ...]:
    # some taps give a single name where a list is due
    given: Sequence[Any] = [value] if isinstance(value, str) else value
    return tuple(_text(each) for each in given)


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise TypeError("an object is due")


def _bad(reason: str, line: Line) -> Bad:
    # redacted before it is cut: half of a secret would not be known as one
    return Bad(reason, redact(line.text.decode("utf-8", "replace"))[:_SHOWN], line.length)
