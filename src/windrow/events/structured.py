"""Events in structured mode, one or a batch: attributes and data in one JSON object each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from windrow.contracts.errors import Code
from windrow.events.cloudevent import CloudEvent, cloud_event, payload
from windrow.events.letters import Malformed, excerpt_of_json
from windrow.events.media_type import MediaType, media_type
from windrow.events.strict import base64_of, json_tree, sound
from windrow.media.errors import DecodeMessageError

MOST_EVENTS = 1000

_DATA = ("data", "data_base64")


def structured(body: bytes, kind: MediaType) -> CloudEvent:
    """The event that the body is; headers say nothing about it."""
    kind.check_format()
    return _event(json_tree(body))


def batch(body: bytes, kind: MediaType) -> list[CloudEvent | Malformed]:
    """The events of a batch, each by itself: a bad one does not spoil the others."""
    kind.check_format()
    tree = json_tree(body)
    if not isinstance(tree, list):
        raise DecodeMessageError("a batch is a JSON array of events", hint="send a single event in structured mode")
    if len(tree) > MOST_EVENTS:
        raise DecodeMessageError(
            f"the batch has more than {MOST_EVENTS} events", code=Code.TOO_LARGE, hint="send smaller batches"
        )
    return [_event_or_not(member) for member in tree]


def _event_or_not(member: Any) -> CloudEvent | Malformed:
    try:
        return _event(member)
    except DecodeMessageError as error:
        return Malformed(error, excerpt_of_json(member))


def _event(tree: Any) -> CloudEvent:
    members = sound(tree)
    if not isinstance(members, dict):
        raise DecodeMessageError("an event is a JSON object", hint="send its attributes as members of one object")
    event = cloud_event({name: value for name, value in members.items() if name not in _DATA})
    return replace(event, data=_data(members, event.datacontenttype))


def _data(members: Mapping[str, Any], declared: str | None) -> Any:
    encoded = members.get("data_base64")
    if encoded is None:
        return _written(members["data"], declared) if "data" in members else None
    if "data" in members:
        raise DecodeMessageError("the event has both data and data_base64", hint="send one of them")
    if not isinstance(encoded, str):
        raise DecodeMessageError("data_base64 is no text", hint="send other data as data")
    return payload(base64_of(encoded), declared)


def _written(data: Any, declared: str | None) -> Any:
    """Data as a member: a JSON value, or else the text of what is not JSON."""
    if declared is None or (kind := media_type(declared)).is_json:
        return data
    kind.check_utf8()
    if not isinstance(data, str):
        raise DecodeMessageError(f"data of the type {kind.name[:80]!r} is no text", hint="send it as data_base64")
    return data.encode()
