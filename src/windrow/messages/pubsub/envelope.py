"""A message of ours as Pub/Sub takes it: the payload as JSON, what it is about as attributes, the key for the order."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from windrow.contracts.errors import Code, ValidationFailure
from windrow.messages.message import Message
from windrow.messages.webhook import as_json

# Pub/Sub's own limits, in bytes
LARGEST_REQUEST = 10_000_000
LONGEST_NAME = 256
LONGEST_VALUE = 1024
LONGEST_ORDERING_KEY = 1024
MOST_ATTRIBUTES = 100

_CAUSE = "correlation_id"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is sent. Without an ordering key it is ordered against nothing."""

    data: bytes
    attributes: Mapping[str, str]
    ordering_key: str = ""


def sealed(message: Message) -> Envelope:
    """The message for Pub/Sub, or a refusal where it is more than Pub/Sub carries: it would be so every time."""
    data, attributes, ordering_key = as_json(message), _attributes(message), _ordering_key(message)
    for name, value in attributes.items():
        _check(name, value)
    if len(attributes) > MOST_ATTRIBUTES:
        raise _refused(f"{len(attributes)} attributes are more than Pub/Sub's {MOST_ATTRIBUTES}", Code.TOO_LARGE)
    size = len(data) + _size(ordering_key) + sum(_size(name) + _size(value) for name, value in attributes.items())
    if size > LARGEST_REQUEST:
        raise _refused(f"{size} bytes are more than Pub/Sub's {LARGEST_REQUEST}", Code.TOO_LARGE)
    return Envelope(data, attributes, ordering_key)


def _attributes(message: Message) -> dict[str, str]:
    """The message's own, and ours above them: nobody passes his message off as another tenant's."""
    own = {name: value for name, value in message.attributes.items() if name != _CAUSE}
    cause = message.attributes.get(_CAUSE)
    ours = {"messageId": str(message.message_id), "topic": message.topic, "tenantId": message.tenant_id}
    return own | ({"correlationId": cause} if cause and "correlationId" not in own else {}) | ours


def _ordering_key(message: Message) -> str:
    """The tenant and the key, as our own order has it; a digest where Pub/Sub takes no key as long."""
    if message.key == str(message.message_id):
        return ""  # it has no key of its own
    key = f"{message.tenant_id}/{message.key}"
    if _size(key) <= LONGEST_ORDERING_KEY:
        return key
    return f"{message.tenant_id}/sha256:{hashlib.sha256(key.encode()).hexdigest()}"


def _check(name: str, value: str) -> None:
    if not name:
        raise _refused("an attribute has no name")
    if name.lower().startswith("goog"):
        raise _refused(f"attribute {name[:80]!r} has a name that Pub/Sub keeps for Google")
    if _size(name) > LONGEST_NAME:
        raise _refused(f"attribute {name[:80]!r} has a name of more than {LONGEST_NAME} bytes", Code.TOO_LARGE)
    if _size(value) > LONGEST_VALUE:
        raise _refused(f"attribute {name[:80]!r} has a value of more than {LONGEST_VALUE} bytes", Code.TOO_LARGE)


def _size(text: str) -> int:
    return len(text.encode())


def _refused(what: str, code: Code = Code.INVALID_VALUE) -> ValidationFailure:
    return ValidationFailure(
        f"Pub/Sub cannot carry it: {what}", code=code, hint="publish it otherwise: large things belong into the payload"
    )
