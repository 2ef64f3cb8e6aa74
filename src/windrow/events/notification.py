"""What Cloud Storage says about an object: as an event, or as a notification through Pub/Sub.

Only an object that was written is for us. Source and subject, or the attributes, name it; where data comes with them it
must name the same, since a message that says two things is not to be acted upon.
"""

import re
from collections.abc import Mapping
from typing import Any

from windrow.events.cloudevent import CloudEvent
from windrow.events.letters import Finalized, NotForUs
from windrow.events.strict import json_of
from windrow.media.errors import DecodeMessageError

FINALIZED = "google.cloud.storage.object.v1.finalized"
SOURCE = "//storage.googleapis.com/projects/_/buckets/"
SUBJECT = "objects/"

_LONGEST_BUCKET = 222
_LONGEST_NAME = 1024
_LONGEST_ID = 1024

_BUCKET_PART = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
_BUCKET = re.compile(rf"{_BUCKET_PART}(?:\.{_BUCKET_PART})*", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,19}", re.ASCII)


def of_event(event: CloudEvent) -> Finalized | NotForUs:
    """The object that the event is about."""
    if event.type != FINALIZED:
        return NotForUs(f"an event of the type {event.type[:80]!r}")
    bucket = event.source.removeprefix(SOURCE)
    if bucket == event.source or not event.subject or not event.subject.startswith(SUBJECT):
        raise DecodeMessageError(
            "source and subject do not name an object", hint=f"send {SOURCE}BUCKET and {SUBJECT}NAME"
        )
    name = event.subject.removeprefix(SUBJECT)
    return _finalized(bucket, name, None, event.data, event.id)


def is_notification(attributes: Mapping[str, str]) -> bool:
    """Whether a message with these attributes comes from Cloud Storage."""
    return "bucketId" in attributes or attributes.get("eventType", "").startswith("OBJECT_")


def of_attributes(attributes: Mapping[str, str], data: bytes, message_id: str | None) -> Finalized | NotForUs:
    """The object that the notification is about."""
    happened = attributes.get("eventType", "")
    if happened != "OBJECT_FINALIZE":
        return NotForUs(f"a notification of {happened[:80]!r}")
    bucket, name = attributes.get("bucketId", ""), attributes.get("objectId", "")
    said = attributes.get("objectGeneration")
    # a finalized object is written once in each generation: that names the event where the envelope does not
    return _finalized(bucket, name, said, _resource(attributes, data), message_id or f"{bucket}/{name}#{said}")


def _resource(attributes: Mapping[str, str], data: bytes) -> Any:
    match attributes.get("payloadFormat", "JSON_API_V1"):
        case "JSON_API_V1":
            return json_of(data) if data else None
        case "NONE":
            return None
        case other:
            raise DecodeMessageError(f"a payload in the format {other[:40]!r} is not read", hint="use JSON_API_V1")


def _finalized(bucket: str, name: str, generation: Any, resource: Any, event_id: str) -> Finalized:
    if not _BUCKET.fullmatch(bucket) or not 3 <= len(bucket) <= _LONGEST_BUCKET:
        raise DecodeMessageError(f"{bucket[:80]!r} is no name of a bucket", hint="see the rules of Cloud Storage")
    if not 1 <= len(name.encode()) <= _LONGEST_NAME:
        raise DecodeMessageError(f"an object's name has 1 to {_LONGEST_NAME} bytes", hint="name one object")
    if len(event_id) > _LONGEST_ID:
        raise DecodeMessageError(f"the event's id has more than {_LONGEST_ID} characters", hint="send a shorter one")
    if resource is None:
        return Finalized(bucket, name, _generation(generation), event_id)
    if not isinstance(resource, dict):
        raise DecodeMessageError("the data does not describe an object", hint="send the object's metadata as JSON")
    _check_same("bucket", bucket, resource.get("bucket"))
    _check_same("name", name, resource.get("name"))
    inside, outside = _generation(resource.get("generation")), _generation(generation)
    if outside is not None:
        _check_same("generation", outside, inside)
    return Finalized(bucket, name, inside if outside is None else outside, event_id)


def _check_same(what: str, said: object, inside: object) -> None:
    if inside is not None and (type(inside) is not type(said) or inside != said):
        raise DecodeMessageError(
            f"the {what} in the data is not the one in the attributes", hint="nothing is done with such a message"
        )


def _generation(value: Any) -> int | None:
    """A generation, which some send as a number and some as a text."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63):
        return value
    raise DecodeMessageError("the generation is no positive whole number of 64 bits", hint="send it as in the metadata")
