"""Who sent a request, and what is in it. Media type, headers, then body tell which of the two callers it is (D4).

1. A media type that begins with `application/cloudevents` is an event, or a batch of them: Eventarc. The body alone counts.
2. A header of one of the required attributes (`ce-id`, `ce-source`, `ce-type`, `ce-specversion`) is an event in binary
   mode, complete or not: Eventarc. Any other `ce-` header is none: a gateway may have put it there.
3. A JSON object with an object `message` in it is a push: Pub/Sub.
4. A JSON object with a `specversion`, sent as plain JSON, is meant as an event, so its sender is answered as Eventarc. But
   it is not taken: by the specification it is a message in binary mode that lacks every attribute, and a gateway that
   filters events by their headers has not seen what we would act upon. The refusal says which media type to send.
5. Anything else is of nobody we know.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from windrow.contracts.errors import Code
from windrow.events import notification, pubsub
from windrow.events.binary import binary, claims_event
from windrow.events.cloudevent import CloudEvent
from windrow.events.headers import Headers, only
from windrow.events.letters import Letter, Malformed, excerpt_of, excerpt_of_json
from windrow.events.media_type import MediaType, media_type
from windrow.events.pubsub import Message, Push
from windrow.events.strict import json_tree, sound
from windrow.events.structured import batch, structured
from windrow.media.errors import DecodeMessageError

_JSON = MediaType("application/json")
_WANTED = "send CloudEvents 1.0, or push from a Pub/Sub subscription that does not unwrap its payload"


class Caller(StrEnum):
    """Who is to be answered."""

    EVENTARC = "eventarc"
    PUBSUB = "pubsub"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Envelope:
    """A request as it was read: from whom, what Pub/Sub says about the delivery, and the letters in it."""

    caller: Caller
    letters: tuple[Letter, ...]
    push: Push = field(default_factory=Push)

    @property
    def attempt(self) -> int:
        return self.push.attempt

    @property
    def message_id(self) -> str | None:
        return self.push.message_id

    @property
    def subscription(self) -> str | None:
        return self.push.subscription


def read(headers: Headers, body: bytes) -> Envelope:
    """The request, whatever it is: what cannot be read is a letter too, and nothing is raised."""
    caller = Caller.EVENTARC if claims_event(headers) else Caller.UNKNOWN
    try:
        _check_plain(headers)
        said = only(headers, b"content-type")
        kind = media_type(said) if said else None
    except DecodeMessageError as error:
        return _unreadable(caller, error, body)
    if kind and (kind.is_event or kind.is_batch):
        return _events(body, kind)
    if caller is Caller.EVENTARC:
        return _event(headers, body)
    return _by_body(kind or _JSON, body)


def _check_plain(headers: Headers) -> None:
    # what is packed could be a thousand times what it seems, and neither caller packs
    if (only(headers, b"content-encoding") or "identity").lower() != "identity":
        raise DecodeMessageError("the body is packed", code=Code.CONTENT_TYPE, hint="send no content-encoding")


def _events(body: bytes, kind: MediaType) -> Envelope:
    try:
        events = batch(body, kind) if kind.is_batch else [structured(body, kind)]
    except DecodeMessageError as error:
        return _unreadable(Caller.EVENTARC, error, body)
    return Envelope(Caller.EVENTARC, tuple(_letters(events)))


def _letters(events: Iterable[CloudEvent | Malformed]) -> Iterable[Letter]:
    for event in events:
        if isinstance(event, Malformed):
            yield event
            continue
        try:
            yield notification.of_event(event)
        except DecodeMessageError as error:
            yield Malformed(error, excerpt_of_json(asdict(event)))


def _event(headers: Headers, body: bytes) -> Envelope:
    try:
        letter: Letter = notification.of_event(binary(headers, body))
    except DecodeMessageError as error:
        told = b" ".join(key + b": " + value for key, value in headers if key.lower().startswith(b"ce-"))
        return _unreadable(Caller.EVENTARC, error, told + b" " + body)
    return Envelope(Caller.EVENTARC, (letter,))


def _by_body(kind: MediaType, body: bytes) -> Envelope:
    try:
        tree = _json(kind, body)
    except DecodeMessageError as error:
        return _unreadable(Caller.UNKNOWN, error, body)
    if pubsub.is_push(tree):
        return _push(tree, body)
    if isinstance(tree, dict) and "specversion" in tree:
        return _unreadable(Caller.EVENTARC, _mislabelled(), body)
    return _unreadable(Caller.UNKNOWN, DecodeMessageError("neither an event nor a push", hint=_WANTED), body)


def _json(kind: MediaType, body: bytes) -> Any:
    if not kind.is_json:
        what = f"a body of the type {kind.name[:80]!r} is not read"
        raise DecodeMessageError(what, code=Code.CONTENT_TYPE, hint=_WANTED)
    kind.check_utf8()
    return json_tree(body)


def _push(tree: dict[str, Any], body: bytes) -> Envelope:
    try:
        sound(tree)
        told = pubsub.push(tree)
    except DecodeMessageError as error:
        return _unreadable(Caller.PUBSUB, error, body)
    try:
        message = pubsub.message(tree)
    except DecodeMessageError as error:
        return Envelope(Caller.PUBSUB, (Malformed(error, excerpt_of(body)),), told)
    return pulled(message, told, body)


def pulled(message: Message, told: Push, body: bytes = b"") -> Envelope:
    """A message that came by itself. Of one that carries nothing, the `body` that it came in is shown."""
    try:
        letter: Letter = pubsub.carried(message, told.message_id)
    except DecodeMessageError as error:
        letter = Malformed(error, excerpt_of(message.data or body))
    return Envelope(Caller.PUBSUB, (letter,), told)


def _unreadable(caller: Caller, error: DecodeMessageError, body: bytes) -> Envelope:
    return Envelope(caller, (Malformed(error, excerpt_of(body)),))


def _mislabelled() -> DecodeMessageError:
    return DecodeMessageError(
        "an event that is sent as plain JSON", code=Code.CONTENT_TYPE, hint="send it as application/cloudevents+json"
    )
