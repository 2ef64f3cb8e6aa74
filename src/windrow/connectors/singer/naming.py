"""How records are called: the name of their stream, and the values of the fields that name them in it."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical

LONGEST_ID = 1024
_SHOWN_OF_A_LONG_ONE = 400
_LONGEST_ENTITY = 64
_NO_ENTITY = re.compile(r"[^a-z0-9_.:-]+")


def external_id(stream: str, keys: Sequence[str], fields: Mapping[str, Any]) -> str:
    """`STREAM:VALUE`, or `STREAM:VALUE,VALUE`. A record of a stream without keys is known by all that it says."""
    if not keys:
        return _bounded(f"{_escaped(stream, ':')}:#{hashlib.sha256(canonical(fields)).hexdigest()[:32]}")
    values = [_value(stream, key, fields) for key in keys]
    # a value that stands alone needs no separator, and reads better as it is
    told = values if len(values) == 1 else [_escaped(value, ",") for value in values]
    return _bounded(f"{_escaped(stream, ':')}:{','.join(told)}")


def entity_type(stream: str) -> str:
    """The stream's name as that of a kind of thing."""
    name = _NO_ENTITY.sub("_", stream.lower()).strip("_") or "record"
    name = name if name[0].isalpha() else f"stream_{name}"
    if len(name) <= _LONGEST_ENTITY:
        return name
    return f"{name[: _LONGEST_ENTITY - 9]}_{hashlib.sha256(stream.encode()).hexdigest()[:8]}"


def _value(stream: str, key: str, fields: Mapping[str, Any]) -> str:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise ValidationFailure(
            f"a record of {stream[:80]!r} has no {key[:80]!r}, which is to name it",
            code=Code.INVALID,
            hint="name other fields as `id` in the rules of the stream",
        )
    return str(value)


def _escaped(text: str, separator: str) -> str:
    return text.replace("%", "%25").replace(separator, f"%{ord(separator):02X}")


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_ID:
        return text
    return f"{text[:_SHOWN_OF_A_LONG_ONE]}#{hashlib.sha256(text.encode()).hexdigest()}"
