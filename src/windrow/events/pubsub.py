"""A message as a Pub/Sub push subscription delivers it, and what it carries.

What it carries is told by its attributes alone: an event (`content-type` or `ce-…`, as in the Pub/Sub binding of
CloudEvents), a notification of Cloud Storage, or else a job.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow.events import notification
from windrow.events.binary import event_of
from windrow.events.cloudevent import CloudEvent, is_claimed, is_text
from windrow.events.letters import Finalized, JobMessage, NotForUs
from windrow.events.media_type import EVENT, media_type
from windrow.events.strict import base64_of, json_of
from windrow.events.structured import structured
from windrow.events.timestamp import timestamp
from windrow.media.errors import DecodeMessageError

_LONGEST = 1024
# the client libraries of Google put it into the first
_ATTEMPTS = ("googclient_deliveryattempt", "deliveryAttempt", "attempt")
_PREFIX = re.compile(r"ce[-_]")
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """What the envelope says about the message. None of it decides what is done, so what cannot be read is left out."""

    attempt: int = 1
    message_id: str | None = None
    subscription: str | None = None
    published_at: datetime | None = None
    ordering_key: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What is in the envelope."""

    data: bytes
    attributes: Mapping[str, str]


def is_push(tree: Any) -> bool:
    """Whether a JSON document is such an envelope."""
    return isinstance(tree, dict) and isinstance(tree.get("message"), dict)


def push(envelope: Mapping[str, Any]) -> Push:
    message = envelope["message"]
    return Push(
        attempt=_attempt(envelope),
        message_id=_label(message.get("messageId")) or _label(message.get("message_id")),
        subscription=_label(envelope.get("subscription")),
        published_at=_time(message.get("publishTime", message.get("publish_time"))),
        ordering_key=_label(message.get("orderingKey", message.get("ordering_key"))),
    )


def message(envelope: Mapping[str, Any]) -> Message:
    """The message itself, which must be in order."""
    data = envelope["message"].get("data")
    if data is not None and not isinstance(data, str):
        raise DecodeMessageError("the message's data is no text", hint="Pub/Sub sends it as base64")
    attributes = envelope["message"].get("attributes")
    if attributes is None:
        attributes = {}
    if not isinstance(attributes, dict) or not all(isinstance(value, str) for value in attributes.values()):
        raise DecodeMessageError("the message's attributes are not texts by name", hint="send each as a text")
    return Message(base64_of(data or ""), attributes)


def carried(message: Message, message_id: str | None) -> Finalized | JobMessage | NotForUs:
    """What the message is about."""
    if (event := _event(message)) is not None:
        return notification.of_event(event)
    if notification.is_notification(message.attributes):
        return notification.of_attributes(message.attributes, message.data, message_id)
    if not message.data:
        raise DecodeMessageError("the message carries nothing", hint="send a job, or a notification of Cloud Storage")
    job = json_of(message.data)
    if not isinstance(job, dict):
        raise DecodeMessageError("a job is a JSON object", hint="send the job as it is in its object")
    return JobMessage(job, message.data, message.attributes)


def _event(message: Message) -> CloudEvent | None:
    content_type = _content_type(message.attributes)
    if content_type and content_type.lower().startswith(EVENT):
        kind = media_type(content_type)
        if kind.is_batch:
            raise DecodeMessageError("Pub/Sub carries no batches of events", hint="publish them one by one")
        return structured(message.data, kind)
    attributes = _event_attributes(message.attributes)
    if not is_claimed(attributes):
        return None
    # the binding takes the type from `content-type`, its examples show the other: either will do
    inner = attributes.pop("datacontenttype", None)
    return event_of(attributes, inner if content_type is None else content_type, message.data)


def _content_type(attributes: Mapping[str, str]) -> str | None:
    # publishers write it as the header is written, or as the binding does
    values = [value for name, value in attributes.items() if name.lower() == "content-type"]
    if len(values) > 1:
        raise DecodeMessageError("the message has two content types", hint="send one attribute content-type")
    return values[0] if values else None


def _event_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in attributes.items():
        if _PREFIX.match(name):
            if name[3:] in found:
                raise DecodeMessageError(f"the attribute {name[3:43]!r} is there twice", hint="send ce- or ce_")
            found[name[3:]] = value
    return found


def _attempt(envelope: Mapping[str, Any]) -> int:
    attributes = envelope["message"].get("attributes")
    said = attributes if isinstance(attributes, dict) else {}
    counts = (_count(value) for value in (envelope.get("deliveryAttempt"), *map(said.get, _ATTEMPTS)))
    return next(filter(None, counts), 1)


def _count(value: Any) -> int | None:
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def _label(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= _LONGEST and is_text(value) else None


def _time(value: Any) -> datetime | None:
    try:
        return timestamp(value) if isinstance(value, str) else None
    except DecodeMessageError:
        return None
