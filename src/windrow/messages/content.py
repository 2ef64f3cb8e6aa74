"""What may be published: JSON within bounds, a key and attributes that Postgres and an HTTP header can carry."""

from collections.abc import Mapping
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.storable import Storable

LARGEST_PAYLOAD = 1024 * 1024
LARGEST_ATTRIBUTES = 16 * 1024
# of up to four bytes each: with tenant and topic it still fits an index entry
LONGEST_KEY = 512

_PAYLOAD = Storable("payload", LARGEST_PAYLOAD, "keep it in the object store, and its key in the message")
_ATTRIBUTES = Storable("attributes", LARGEST_ATTRIBUTES, "put what is large into the payload")


def payload_text(payload: Any) -> str:
    """The payload as JSON; refused if it is none, holds what Postgres cannot, or is larger than 1 MiB."""
    return _PAYLOAD.text(payload)


def attributes_text(attributes: Mapping[str, str]) -> str:
    """The attributes as JSON; refused if one is not text, or if they are larger than 16 KiB together."""
    if wrong := [name for name, value in attributes.items() if not isinstance(name, str) or not isinstance(value, str)]:
        raise ValidationFailure(
            f"attribute {str(wrong[0])[:80]!r} is not text",
            code=Code.INVALID_VALUE,
            hint="attributes are names and values of text",
        )
    return _ATTRIBUTES.text(dict(attributes))


def checked_key(key: str) -> str:
    """A key of 1 to 512 characters that can be stored; order holds within it."""
    if not 1 <= len(key) <= LONGEST_KEY:
        raise _bad_key(f"a message's key has {len(key)} characters", f"use 1 to {LONGEST_KEY}")
    if "\0" in key or any("\ud800" <= char <= "\udfff" for char in key):
        raise _bad_key("a message's key holds a NUL or half a surrogate pair", "remove it")
    return key


def _bad_key(message: str, hint: str) -> ValidationFailure:
    return ValidationFailure(message, code=Code.INVALID_KEY, hint=hint)
