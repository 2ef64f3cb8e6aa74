"""What Temporal keeps of us: JSON, and sealed by AES-256-GCM where a key is set.

    encoding           binary/encrypted
    windrow-cipher     AES-256-GCM
    windrow-key-id     which key opens it; bound into the seal
    data               nonce (12 bytes), then the sealed payload with its own metadata

Everyone who talks to Temporal takes `data_converter`: without a key it still says, of a sealed history, what is missing.
With keys, what is not sealed is refused: only who has a key can have sealed it, and anybody could have written the rest.
docs/how-to/encrypt-histories.md tells what stays readable.
"""

import os
from collections.abc import Sequence
from dataclasses import replace

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec

from windrow.contracts.errors import Code, Fatal
from windrow.orchestration.payload_keys import PayloadKey, PayloadKeys

ENCODING = b"binary/encrypted"
CIPHER = b"AES-256-GCM"
_NONCE = 12


class Encryption(PayloadCodec):
    """Seals every payload with the first key, and opens what any of the keys has sealed.

    What is not sealed is refused; with `unsealed` it is passed on as it is, for workflows that began before there was a key.
    """

    def __init__(self, keys: PayloadKeys, *, unsealed: bool = False) -> None:
        self._keys, self._unsealed = keys, unsealed

    @property
    def key_id(self) -> str:
        """Which key seals."""
        return self._keys.current.key_id

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Sealed, each with a nonce of its own."""
        return [_sealed(payload, self._keys.current) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Opened, or refused with the name of the key that it takes."""
        return [self._opened(payload) for payload in payloads]

    def _opened(self, payload: Payload) -> Payload:
        if not is_sealed(payload):
            if self._unsealed:
                return payload
            raise _readable()
        key_id = key_id_of(payload)
        key = self._keys.find(key_id)
        if key is None:
            raise _unopened(key_id, f"known here are {', '.join(self._keys.ids)}")
        return _unsealed(payload, key)


class Refusal(PayloadCodec):
    """Of a process without a key: writes plainly, and says of a sealed payload which key it would take."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """As they are."""
        return list(payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """As they are; a sealed one is refused."""
        for payload in payloads:
            if is_sealed(payload):
                raise _unopened(key_id_of(payload), "no key is set here")
        return list(payloads)


def data_converter(keys: PayloadKeys | None, *, unsealed: bool = False) -> DataConverter:
    """How values become payloads, for every client and worker: JSON and dataclasses, sealed where there are keys.

    With keys, messages and stack traces of failures are sealed too: they quote what went wrong.
    """
    if keys is None:
        return replace(DataConverter.default, payload_codec=Refusal())
    return replace(
        DataConverter.default,
        payload_codec=Encryption(keys, unsealed=unsealed),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )


def sealing_key(converter: DataConverter) -> str | None:
    """The id of the key that it seals with; None where it writes plainly."""
    codec = converter.payload_codec
    return codec.key_id if isinstance(codec, Encryption) else None


def is_sealed(payload: Payload) -> bool:
    """Whether the payload takes a key."""
    return payload.metadata.get("encoding") == ENCODING


def key_id_of(payload: Payload) -> str:
    """The key that a sealed payload takes."""
    return payload.metadata.get("windrow-key-id", b"").decode("utf-8", "replace")[:80]


def _sealed(payload: Payload, key: PayloadKey) -> Payload:
    nonce = os.urandom(_NONCE)
    data = AESGCM(key.secret()).encrypt(nonce, payload.SerializeToString(), _bound(key.key_id))
    metadata = {"encoding": ENCODING, "windrow-cipher": CIPHER, "windrow-key-id": key.key_id.encode()}
    return Payload(metadata=metadata, data=nonce + data)


def _unsealed(payload: Payload, key: PayloadKey) -> Payload:
    nonce, data = payload.data[:_NONCE], payload.data[_NONCE:]
    try:
        return Payload.FromString(AESGCM(key.secret()).decrypt(nonce, data, _bound(key.key_id)))
    except (InvalidTag, ValueError, DecodeError):
        # raised out of nothing: what the library says tells no more, and may hold what it had in hand
        raise Fatal(
            f"a payload does not open with the payload key {key.key_id!r}: the key is another one, or the payload was altered",
            code=Code.CORRUPTED,
            hint="put the key back under that id; a new key gets a new id (docs/how-to/encrypt-histories.md)",
        ) from None


def _bound(key_id: str) -> bytes:
    return b"windrow:" + CIPHER + b":" + key_id.encode()


def _readable() -> Fatal:
    return Fatal(
        "a payload is not sealed, and payload keys are set: it was written without one, or by somebody else",
        code=Code.UNAUTHORIZED,
        hint="while workflows end that began without a key, set WINDROW_PAYLOAD_UNSEALED=true; otherwise see who wrote it",
    )


def _unopened(key_id: str, known: str) -> Fatal:
    return Fatal(
        f"a payload is sealed with the payload key {key_id!r}; {known}",
        code=Code.CREDENTIAL_MISSING,
        hint="add that key to the credential of WINDROW_PAYLOAD_KEY_REF, behind the current one",
    )
