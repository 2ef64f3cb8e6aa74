"""What may be kept as a value: JSON that comes back equal to what was put, in its one canonical text.

The bounds are checked by a walk before anything is encoded: a value that is too large, too deep or circular costs no
more than the bound.
"""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure

LARGEST = 1024 * 1024
DEEPEST = 64
# what Postgres and every JSON reader but JavaScript's hold exactly; larger ones would come back as something else somewhere
_FURTHEST = 2**63

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Canonical:
    """A value as it is kept: the same value in any key order has one text and one hash."""

    text: str
    hash: str


def canonical(value: Any) -> Canonical:
    """The text and hash of a value; refused if it is no JSON, or beyond the bounds."""
    _check(value)
    text = _encode(value)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise _refusal("a text in the value holds half of a surrogate pair", "remove it: it is no character") from None
    if len(encoded) > LARGEST:
        raise _too_large()
    return Canonical(text, hashlib.sha256(encoded).hexdigest())


def _check(value: Any) -> None:
    room, level = LARGEST, [value]
    for _ in range(DEEPEST):
        if not level:
            return
        # every part takes at least one byte, so no level can be longer than the room that is left
        room -= len(level)
        below: list[Any] = []
        for part in level:
            room -= _text_length(part)
            if room < len(below):
                raise _too_large()
            below.extend(_parts(part))
        level = below
    if level:
        raise _refusal(f"the value is nested deeper than {DEEPEST} levels", "keep it flatter")


def _parts(value: Any) -> Iterator[Any]:
    """What is directly inside; a value that JSON would quietly change is refused."""
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise _refusal(f"a name in the value is {_kind(name)}, not a text", "JSON objects have texts as names")
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, str):
        if "\0" in value:
            raise _refusal("a text in the value holds a NUL character", "remove it: Postgres cannot hold one")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise _refusal(f"the value holds {value}, which JSON does not know", "use null, or a text")
    elif isinstance(value, int):
        if not -_FURTHEST <= value < _FURTHEST:
            raise _refusal("an integer in the value does not fit 64 bits", "keep it as a text")
    elif value is not None:
        raise _refusal(
            f"the value holds {_kind(value)}, which is not JSON", "use dict, list, str, int, float, bool, None"
        )


def _text_length(part: Any) -> int:
    return len(part) if isinstance(part, str | list | dict) else 0


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"


def _refusal(message: str, hint: str) -> ValidationFailure:
    return ValidationFailure(message, code=Code.INVALID_VALUE, hint=hint)


def _too_large() -> ValidationFailure:
    return ValidationFailure(
        "the value is larger than 1 MiB as JSON",
        code=Code.TOO_LARGE,
        hint="keep it in the object store, and its key here",
    )
