"""The keys that histories are sealed with: the first seals, all of them open. A new one in front is a rotation.

2026-11:kR0c…=  2026-05:q81t…=
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from windrow.contracts.errors import Code, Fatal
from windrow.vault import Secret

KEY_BYTES = 32
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_HINT = "write ID:KEY, the key as 32 bytes in base64 (docs/how-to/encrypt-histories.md)"


@dataclass(frozen=True, slots=True)
class PayloadKey:
    """A key and the id by which a payload names it. The bytes are in a closure, out of sight of whatever walks attributes."""

    key_id: str
    secret: Callable[[], bytes] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class PayloadKeys:
    """At least one key, each with an id of its own."""

    keys: tuple[PayloadKey, ...]

    @classmethod
    def parse(cls, credential: Secret) -> "PayloadKeys":
        """The keys in a credential: words, between spaces, commas or lines. An error names the word's place alone."""
        words = credential.reveal().replace(",", " ").split()
        keys = tuple(_key(place, word) for place, word in enumerate(words, start=1))
        if not keys:
            raise _malformed("there is none")
        if len({key.key_id for key in keys}) < len(keys):
            raise _malformed("two have the same id")
        return cls(keys)

    @property
    def current(self) -> PayloadKey:
        """What is sealed with from now on."""
        return self.keys[0]

    @property
    def ids(self) -> tuple[str, ...]:
        """Every key by name."""
        return tuple(key.key_id for key in self.keys)

    def find(self, key_id: str) -> PayloadKey | None:
        """The key of that id."""
        return next((key for key in self.keys if key.key_id == key_id), None)


def new_key(key_id: str, random: Callable[[int], bytes]) -> str:
    """A word for the credential."""
    return f"{key_id}:{base64.b64encode(random(KEY_BYTES)).decode()}"


def _key(place: int, word: str) -> PayloadKey:
    key_id, _, encoded = word.partition(":")
    # a key without an id, taken for an id, would be shown
    if not encoded or not _ID.fullmatch(key_id):
        raise _malformed(f"number {place} has no id")
    Secret(encoded)  # known from here on as something that is not shown, also alone
    try:
        raw = base64.b64decode(encoded.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES:
        raise _malformed(f"number {place} is not {KEY_BYTES} bytes in base64")
    return PayloadKey(key_id, lambda: raw)


def _malformed(what: str) -> Fatal:
    return Fatal(f"the payload keys are malformed: {what}", code=Code.CONFIGURATION, hint=_HINT)
