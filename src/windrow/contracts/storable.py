"""What may be stored: JSON that comes back equal to what was given, in its one canonical text.

The bounds are checked by a walk before anything is encoded: a value that is too large, too deep or circular costs no
more than the bound.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure

DEEPEST = 64
# what Postgres and every JSON reader but JavaScript's hold exactly; larger ones would come back as something else somewhere
_FURTHEST = 2**63

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Storable:
    """The rules for one kind of thing: what it is called, how large it may be, and what to do with a larger one."""

    what: str
    largest: int
    instead: str

    def text(self, value: Any) -> str:
        """The value as JSON, in any key order the same; refused if it is none, or beyond the bounds."""
        _check(value, self)
        text = _encode(value)
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise self.refusal("half of a surrogate pair", "remove it: it is no character") from None
        if size > self.largest:
            raise self.too_large()
        return text

    def refusal(self, found: str, hint: str) -> ValidationFailure:
        return ValidationFailure(f"the {self.what} holds {found}", code=Code.INVALID_VALUE, hint=hint)

    def too_large(self) -> ValidationFailure:
        bound = f"{self.largest >> 20} MiB" if self.largest >= 1 << 20 else f"{self.largest >> 10} KiB"
        return ValidationFailure(
            f"the {self.what} is larger than {bound} as JSON", code=Code.TOO_LARGE, hint=self.instead
        )


def _check(value: Any, rules: Storable) -> None:
    room, level = rules.largest, [value]
    for _ in range(DEEPEST):
        if not level:
            return
        # every part takes at least one byte, so no level can be longer than the room that is left
        room -= len(level)
        below: list[Any] = []
        for part in level:
            room -= _text_length(part)
            if room < len(below):
                raise rules.too_large()
            below.extend(_parts(part, rules))
        level = below
    if level:
        raise rules.refusal(f"more than {DEEPEST} levels, one in the other", "keep it flatter")


def _parts(value: Any, rules: Storable) -> Iterator[Any]:
    """What is directly inside; a value that JSON would quietly change is refused."""
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise rules.refusal(f"{_kind(name)} as a name", "JSON objects have texts as names")
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, str):
        if "\0" in value:
            raise rules.refusal("a NUL character", "remove it: Postgres cannot hold one")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise rules.refusal(f"{value}, which JSON does not know", "use null, or a text")
    elif isinstance(value, int):
        if not -_FURTHEST <= value < _FURTHEST:
            raise rules.refusal("an integer that does not fit 64 bits", "keep it as a text")
    elif value is not None:
        raise rules.refusal(f"{_kind(value)}, which is not JSON", "use dict, list, str, int, float, bool, None")


def _text_length(part: Any) -> int:
    return len(part) if isinstance(part, str | list | dict) else 0


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"
