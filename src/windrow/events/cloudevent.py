"""An event by the letter of CloudEvents 1.0, however it came.

`structured` and `binary` read the two ways in which an event crosses HTTP, and end here: the same event is the same value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windrow.contracts.errors import Code
from windrow.events import uri
from windrow.events.media_type import media_type
from windrow.events.strict import json_of
from windrow.events.timestamp import timestamp
from windrow.media.errors import DecodeMessageError

VERSION = "1.0"
REQUIRED = ("specversion", "id", "source", "type")
_OPTIONAL = ("subject", "time", "datacontenttype", "dataschema")

_NAME = re.compile(r"[a-z0-9]+", re.ASCII)
# control characters, halves of surrogate pairs, and the code points that Unicode keeps for no character
_NO_TEXT = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
    + "]"
)
# the specification has no bound, but each is looked at, and no sender needs as many
MOST_ATTRIBUTES = 256
_SMALLEST, _LARGEST = -(2**31), 2**31 - 1

Value = str | int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudEvent:
    """Its attributes; `data` as JSON where it is declared to be JSON, else as bytes, and None where there is none."""

    id: str
    source: str
    type: str
    specversion: str = VERSION
    subject: str | None = None
    time: datetime | None = None
    datacontenttype: str | None = None
    dataschema: str | None = None
    data: Any = None
    extensions: Mapping[str, Value] = field(default_factory=dict)


def is_claimed(names: Mapping[str, object]) -> bool:
    """Whether these names of attributes say that an event was meant. One of the required ones does, any other does not."""
    return any(name in names for name in REQUIRED)


def cloud_event(said: Mapping[str, Any], data: Any = None) -> CloudEvent:
    """The event with these attributes, each checked; null is as good as not said."""
    if len(said) > MOST_ATTRIBUTES:
        raise DecodeMessageError(
            f"the event has more than {MOST_ATTRIBUTES} attributes", code=Code.TOO_LARGE, hint="use data for them"
        )
    checked = {_name(name): _value(name, value) for name, value in said.items()}
    given = {name: value for name, value in checked.items() if value is not None}
    required = {name: _text(given, name) for name in REQUIRED}
    optional = {name: _text(given, name) for name in _OPTIONAL if name in given}
    if required["specversion"] != VERSION:
        raise DecodeMessageError(
            f"events of version {required['specversion'][:20]!r} are not read", hint=f"send version {VERSION}"
        )
    _check_uris(required["source"], optional.get("dataschema"))
    if declared := optional.get("datacontenttype"):
        media_type(declared)
    return CloudEvent(
        **required,
        subject=optional.get("subject"),
        time=timestamp(optional["time"]) if "time" in optional else None,
        datacontenttype=declared,
        dataschema=optional.get("dataschema"),
        data=data,
        extensions={name: value for name, value in given.items() if name not in required and name not in optional},
    )


def payload(raw: bytes, declared: str | None) -> Any:
    """The data of an event that came as bytes."""
    if not declared or not (kind := media_type(declared)).is_json:
        return raw
    kind.check_utf8()
    return json_of(raw)


def is_text(text: str) -> bool:
    """Whether all of its characters may be in a text of an event."""
    # nearly all are plain, and found to be so ten times as fast
    return (text.isascii() and text.isprintable()) or _NO_TEXT.search(text) is None


def _name(name: str) -> str:
    # `data` is the name of what is no attribute
    if not _NAME.fullmatch(name) or name == "data":
        raise DecodeMessageError(
            f"{name[:40]!r} is no name of an attribute", hint="names of attributes are of a-z and 0-9"
        )
    return name


def _value(name: str, value: Any) -> Value | None:
    match value:
        case None | bool():
            return value
        case str() if is_text(value):
            return value
        case int() if _SMALLEST <= value <= _LARGEST:
            return value
        case str():
            raise DecodeMessageError(f"{name[:40]} has a character that is none", hint="remove control characters")
        case int():
            raise DecodeMessageError(f"{name[:40]} does not fit 32 bits", hint="send such a number as a text")
        case _:
            raise DecodeMessageError(
                f"{name[:40]} is no text, whole number or truth value",
                hint="attributes are flat; the rest goes into data",
            )


def _text(given: Mapping[str, Value], name: str) -> str:
    if name not in given:
        raise DecodeMessageError(f"the event has no {name}", hint=f"every event has {', '.join(REQUIRED)}")
    value = given[name]
    if not isinstance(value, str) or not value:
        raise DecodeMessageError(f"the event's {name} is no text, or empty", hint="leave out what there is not")
    return value


def _check_uris(source: str, dataschema: str | None) -> None:
    if not uri.is_reference(source):
        raise DecodeMessageError(f"the source {source[:80]!r} is no URI reference", hint="see RFC 3986")
    if dataschema and not uri.is_absolute(dataschema):
        raise DecodeMessageError(f"the dataschema {dataschema[:80]!r} is no absolute URI", hint="see RFC 3986")
