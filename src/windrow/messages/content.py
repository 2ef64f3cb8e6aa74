"""What may be published: JSON within bounds, a key and attributes that Postgres and an HTTP header can carry."""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from windrow.contracts.errors import Code, ValidationFailure

LARGEST_PAYLOAD = 1024 * 1024
LARGEST_ATTRIBUTES = 16 * 1024
# of up to four bytes each: with tenant and topic it still fits an index entry
LONGEST_KEY = 512

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
# an escaped backslash before `u0000` is a text that spells it; only an odd number of them escapes the character
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def payload_text(payload: Any) -> str:
    """The payload as JSON; refused if it is none, holds what Postgres cannot, or is larger than 1 MiB."""
    return _bounded("payload", payload, LARGEST_PAYLOAD, "keep it in the object store, and its key in the message")


def attributes_text(attributes: Mapping[str, str]) -> str:
    """The attributes as JSON; refused if one is not text, or if they are larger than 16 KiB together."""
    if wrong := [name for name, value in attributes.items() if not isinstance(name, str) or not isinstance(value, str)]:
        _refuse(f"attribute {str(wrong[0])[:80]!r} is not text", "attributes are names and values of text")
    return _bounded("attributes", dict(attributes), LARGEST_ATTRIBUTES, "put what is large into the payload")


def checked_key(key: str) -> str:
    """A key of 1 to 512 characters that can be stored; order holds within it."""
    if not 1 <= len(key) <= LONGEST_KEY:
        _refuse(f"a message's key has {len(key)} characters", f"use 1 to {LONGEST_KEY}", Code.INVALID_KEY)
    if "\0" in key or not _is_unicode(key):
        _refuse("a message's key holds a NUL or half a surrogate pair", "remove it", Code.INVALID_KEY)
    return key


def _bounded(what: str, value: Any, largest: int, hint: str) -> str:
    text = _encoded(what, value)
    if _NUL.search(text):
        _refuse(f"a NUL character in the {what}", "remove it: Postgres cannot hold one")
    if not _is_unicode(text):
        _refuse(f"half of a surrogate pair in the {what}", "remove it: it is no character")
    if (size := len(text.encode())) > largest:
        _refuse(f"too large for the {what}: {size} bytes as JSON, {largest} at most", hint, Code.TOO_LARGE)
    return text


def _encoded(what: str, value: Any) -> str:
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        _refuse(
            f"the {what} cannot be JSON: {reason}", "use dict, list, str, int, float, bool, None; no NaN, no cycles"
        )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(message: str, hint: str, code: Code = Code.INVALID_VALUE) -> NoReturn:
    raise ValidationFailure(message, code=code, hint=hint)
