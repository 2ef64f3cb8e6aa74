"""JSON and base64 by the letter. What two readers could take for two different things is refused.

JSON is read in two steps, so that one bad event does not spoil the others of its batch: `json_tree` reads the text, and
puts a `Flaw` where a value is that cannot be taken; `sound` refuses a part that has one.
"""

import binascii
import json
import math
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from windrow.contracts.errors import Code
from windrow.media.errors import DecodeMessageError

DEEPEST = 64
# by its commas: a thousand events of fifty members each; a hostile million would hold up everybody else for seconds
MOST_PARTS = 50_000
# what fits 64 bits, with its sign
_LONGEST_NUMBER = 20

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Flaw:
    """In the place of a value that cannot be taken."""

    reason: str


def json_of(text: bytes) -> Any:
    """The JSON value that the text is, wholly sound."""
    return sound(json_tree(text))


def json_tree(text: bytes) -> Any:
    """The JSON value that the text is, perhaps with flaws in it."""
    if text.count(b",") > MOST_PARTS:
        raise DecodeMessageError("the JSON has too many parts", code=Code.TOO_LARGE, hint="send less at once")
    try:
        return _DECODER.decode(text.decode())
    except UnicodeDecodeError:
        raise DecodeMessageError("the JSON is not in UTF-8", hint="send it in UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        raise DecodeMessageError(f"no JSON: {error}", hint="send one JSON document and nothing after it") from None


def sound(tree: Any) -> Any:
    """The tree, if it has no flaw, no half character, and no more than `DEEPEST` levels."""
    level = [tree]
    for _ in range(DEEPEST):
        if not level:
            return tree
        level = _below(level)
    if level:
        raise _too_deep()
    return tree


def _below(level: list[Any]) -> list[Any]:
    """The parts of the parts; a loop without recursion, since it is the depth that is to be found out."""
    below: list[Any] = []
    for part in level:
        if isinstance(part, str):
            if not part.isascii() and _LONE_SURROGATE.search(part):
                raise DecodeMessageError("the JSON has half of a surrogate pair", hint="remove it: it is no character")
        elif isinstance(part, dict):
            below.extend(part)
            below.extend(part.values())
        elif isinstance(part, list):
            below.extend(part)
        elif isinstance(part, Flaw):
            raise DecodeMessageError(f"the JSON has {part.reason}", hint="write what every reader reads alike")
    return below


def base64_of(text: str) -> bytes:
    """The bytes that the text stands for: in the standard alphabet, padded, and in no other spelling."""
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        raw = None
    # bits beyond the last byte would make two texts of the same bytes
    if raw is None or b64encode(raw) != text.encode():
        raise DecodeMessageError("no base64", hint="encode in the standard alphabet, with padding, without line breaks")
    return raw


def _too_deep() -> DecodeMessageError:
    return DecodeMessageError(f"the JSON is nested more than {DEEPEST} levels deep", hint="keep it flatter")


def _object(members: list[tuple[str, Any]]) -> dict[str, Any] | Flaw:
    found = dict(members)
    return found if len(found) == len(members) else Flaw("a name twice in one object")


def _whole(text: str) -> int | Flaw:
    return int(text) if len(text) <= _LONGEST_NUMBER else Flaw("a number that does not fit 64 bits")


def _fraction(text: str) -> float | Flaw:
    value = float(text)
    return value if math.isfinite(value) else Flaw("a number beyond all bounds")


def _constant(text: str) -> Flaw:
    return Flaw(f"{text}, which is no JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
)
