"""An event in binary mode: its attributes are headers that begin with `ce-`, its data is the body."""

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from windrow.events.cloudevent import CloudEvent, cloud_event, is_claimed, payload
from windrow.events.headers import Headers, only
from windrow.media.errors import DecodeMessageError

_PREFIX = b"ce-"

_UNPRINTABLE = re.compile(rb"[^\t -~]")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(rb"\\(.)")
_NO_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def binary(headers: Headers, body: bytes) -> CloudEvent:
    """The event that the headers tell of."""
    attributes: dict[str, str] = {}
    for key, value in headers:
        if key.lower().startswith(_PREFIX):
            name = attribute_name(key)
            if name in attributes:
                raise DecodeMessageError(f"the attribute {name[:40]!r} is there twice", hint="send each header once")
            attributes[name] = header_value(value)
    if "datacontenttype" in attributes:
        raise DecodeMessageError("there is a ce-datacontenttype", hint="the Content-Type alone says what the data is")
    return event_of(attributes, only(headers, b"content-type"), body)


def event_of(attributes: Mapping[str, str], content_type: str | None, data: bytes) -> CloudEvent:
    """The event of attributes and data that came apart, over HTTP or otherwise."""
    declared = {} if content_type is None else {"datacontenttype": content_type}
    # whatever type it is declared to be, no byte is no data
    return cloud_event({**attributes, **declared}, payload(data, content_type) if data else None)


def claims_event(headers: Headers) -> bool:
    """Whether the headers mean an event, be it a good one or not."""
    return is_claimed({attribute_name(key): key for key, _ in headers if key.lower().startswith(_PREFIX)})


def attribute_name(header: bytes) -> str:
    """The attribute whose header this is."""
    return header.lower().removeprefix(_PREFIX).decode("latin-1")


def header_value(value: bytes) -> str:
    """What a header's value stands for: quotes taken off, then `%XX` read, once."""
    if _UNPRINTABLE.search(value):
        raise _refusal(value, "has a byte that is not printable ASCII")
    plain = _unquoted(value.strip(b" \t"))
    if b"%" not in plain:
        return plain.decode("ascii")
    if _NO_ESCAPE.search(plain):
        raise _refusal(value, "has a % without two hexadecimal digits")
    try:
        return unquote_to_bytes(plain).decode()
    except UnicodeDecodeError:
        raise _refusal(value, "is not UTF-8 behind its %") from None


def _unquoted(value: bytes) -> bytes:
    """Without the quotes of RFC 7230; senders of earlier versions quote a value, or a part of it."""
    if b'"' not in value:
        return value
    unquoted, at = b"", 0
    while (start := value.find(b'"', at)) >= 0:
        quoted = _QUOTED.match(value, start)
        if not quoted:
            raise _refusal(value, "has a quote that does not end")
        unquoted += value[at:start] + _ESCAPED.sub(rb"\1", quoted[1])
        at = quoted.end()
    return unquoted + value[at:]


def _refusal(value: bytes, reason: str) -> DecodeMessageError:
    return DecodeMessageError(
        f"the header value {value[:40]!r} {reason}", hint="escape what is not printable ASCII as %XX of its UTF-8 bytes"
    )
