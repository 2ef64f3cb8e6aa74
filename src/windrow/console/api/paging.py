"""Pages of a list, and the tokens by which a client asks for the next one.

`ID.EXPIRES.POSITION.MAC`: the position is where the page before ended. The MAC covers it together with the tenant, the
project, the list and its filters, so that a token is good for going on with that list and for nothing else.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from pydantic import BaseModel

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.objects.signing import SigningKey

T = TypeVar("T")
M = TypeVar("M")

MOST = 200
LIFETIME = 24 * 3600
_TOKEN = re.compile(
    r"(?P<id>[A-Za-z0-9_-]{1,32})\.(?P<expires>[0-9]{1,12})\.(?P<position>[A-Za-z0-9_-]{1,2000})\.(?P<mac>[A-Za-z0-9_-]{43})",
    re.ASCII,
)


class Page(BaseModel, Generic[T]):
    """Some of a list. `next` asks for what follows: give it as `page`, with the same filters; null at the end."""

    items: list[T]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Which list is read: what a token is bound to."""

    scope: Scope
    resource: str
    filters: dict[str, Any]

    def __str__(self) -> str:
        # JSON holds no line break outside of its strings, and escapes those inside
        filters = json.dumps(self.filters, sort_keys=True, default=str)
        return f"{self.scope.tenant_id}\n{self.scope.project_id}\n{self.resource}\n{filters}"


class PageTokens:
    """Signs with the first key and accepts all of them, for a day."""

    def __init__(self, keys: Sequence[SigningKey], *, clock: Callable[[], float] = time.time) -> None:
        self._signing, self._keys, self._clock = keys[0], {key.id: key for key in keys}, clock

    def sealed(self, reading: Reading, position: Any) -> str:
        """The token that goes on behind the position."""
        expires = str(int(self._clock()) + LIFETIME)
        written = base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")
        return ".".join((self._signing.id, expires, written, _mac(self._signing, reading, expires, written)))

    def opened(self, reading: Reading, token: str, kind: type[M]) -> M:
        """The position, if this token was given for exactly this list, and lately."""
        found = _TOKEN.fullmatch(token)
        signing = self._keys.get(found["id"]) if found else None
        if found is None or signing is None:
            raise _refused("is not one of ours")
        if not hmac.compare_digest(found["mac"], _mac(signing, reading, found["expires"], found["position"])):
            raise _refused("was not given for this list")
        if int(found["expires"]) <= self._clock():
            raise _refused("has expired")
        try:
            text = base64.urlsafe_b64decode(found["position"] + "=" * (-len(found["position"]) % 4))
            return msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, binascii.Error):
            # ours, but of a version that ordered this list otherwise
            raise _refused("is of another version") from None


@dataclass(frozen=True, slots=True)
class Turn(Generic[M]):
    """One page that is to be read: behind which position, and how many."""

    tokens: PageTokens
    reading: Reading
    after: M | None
    limit: int

    @property
    def ask_for(self) -> int:
        """One more than is shown: whether there is a next page."""
        return self.limit + 1

    def page(self, found: Sequence[T], position: Callable[[T], M]) -> Page[T]:
        """The page of what was found; `position` says behind which of them to go on."""
        shown = list(found[: self.limit])
        more = len(found) > self.limit
        return Page(items=shown, next=self.behind(position(shown[-1]) if more else None))

    def behind(self, position: M | None) -> str | None:
        """The token that goes on there; none at the end."""
        return None if position is None else self.tokens.sealed(self.reading, position)


def _mac(signing: SigningKey, reading: Reading, expires: str, position: str) -> str:
    said = "\n".join(("windrow-page-1", expires, position, str(reading)))
    digest = hmac.new(signing.key, said.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _refused(why: str) -> ValidationFailure:
    return ValidationFailure(
        f"the page token {why}", code=Code.INVALID, hint="take `next` from the page before, with the same filters"
    )
