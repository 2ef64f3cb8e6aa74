"""URLs that let their holder read or write one object for a few minutes, for the stores that Windrow serves itself.

`BASE/TENANT/KEY?token=ID.EXPIRES.MAC`: the MAC covers tenant, key, method and expiry, so that the URL is good for
nothing else. One that bounds how much may be written says so before its MAC: `ID.EXPIRES.BYTES.MAC`. The parameter is called `token` because the redaction of logs knows that word.
"""

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import quote

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.objects.driver import Method, Sign
from windrow.objects.keys import checked_key

LONGEST = timedelta(minutes=15)
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
_TOKEN = re.compile(
    r"(?P<id>[A-Za-z0-9_-]{1,32})\.(?P<expires>[0-9]{1,12})\.(?:(?P<most>[0-9]{1,15})\.)?(?P<mac>[A-Za-z0-9_-]{43})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key and the id by which a URL names it."""

    id: str
    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not _KEY_ID.fullmatch(self.id) or len(self.key) < 32:
            raise Fatal(
                f"the signing key {self.id[:32]!r} is not usable",
                code=Code.CONFIGURATION,
                hint="give it an id of letters and digits, and at least 32 random bytes",
            )


class UrlSigner:
    """Signs with the first key and accepts all of them: a new one goes in front, the old one leaves 15 minutes later."""

    def __init__(self, base_url: str, keys: Sequence[SigningKey], *, clock: Callable[[], float] = time.time) -> None:
        if not keys:
            raise Fatal("there is no key to sign URLs with", code=Code.CONFIGURATION, hint="give at least one")
        self._base_url = base_url.rstrip("/")
        self._signing = keys[0]
        self._keys = {key.id: key for key in keys}
        self._clock = clock

    def sign(
        self, tenant_id: str, key: str, method: Method, expires_in: timedelta, most_bytes: int | None = None
    ) -> str:
        """The URL for one method on one object of one tenant, and for no more bytes than said."""
        checked_name("tenant", tenant_id)
        expires = int(self._clock() + checked_lifetime(expires_in).total_seconds())
        most = "" if most_bytes is None else str(most_bytes)
        mac = _mac(self._signing, tenant_id, checked_key(key), method, expires, most)
        token = ".".join(filter(None, (self._signing.id, str(expires), most, mac)))
        return f"{self._base_url}/{tenant_id}/{quote(key)}?token={token}"

    def verify(self, token: str, tenant_id: str, key: str, method: Method) -> int | None:
        """Refuse, unless this token was given for exactly this, and is still good. How many bytes it allows, if it says."""
        found = _TOKEN.fullmatch(token)
        signing = self._keys.get(found["id"]) if found else None
        if found is None or signing is None:
            raise _refused("is not one of ours")
        expires, most = int(found["expires"]), found["most"] or ""
        expected = _mac(signing, checked_name("tenant", tenant_id), checked_key(key), method, expires, most)
        if not hmac.compare_digest(found["mac"], expected):
            raise _refused("was not given for this")
        if not 0 < expires - self._clock() <= LONGEST.total_seconds():
            raise _refused("has expired")
        return int(most) if most else None


def signing_for(signer: UrlSigner | None, tenant_id: str) -> Sign:
    """How the objects of a tenant get their URLs in a store that Windrow serves itself."""
    if signer is None:
        return unsigned

    async def sign(key: str, method: Method, expires_in: timedelta, most_bytes: int | None) -> str:
        return signer.sign(tenant_id, key, method, expires_in, most_bytes)

    return sign


async def unsigned(_key: str, _method: Method, _expires_in: timedelta, _most_bytes: int | None) -> str:
    """What a store says that has nothing to sign with."""
    raise Fatal(
        "this object store has no key to sign URLs with",
        code=Code.CONFIGURATION,
        hint="open it with a UrlSigner, or use a bucket",
    )


def checked_lifetime(expires_in: timedelta) -> timedelta:
    """How long a signed URL lives: at least a second, at most 15 minutes."""
    if not timedelta(seconds=1) <= expires_in <= LONGEST:
        raise ValidationFailure(
            f"a signed URL cannot live for {expires_in.total_seconds():g} s", hint="choose between 1 and 900 seconds"
        )
    return expires_in


def _mac(signing: SigningKey, tenant_id: str, key: str, method: Method, expires: int, most: str) -> str:
    # no part can hold a line break, so none can be read as another
    said = "\n".join(("windrow-object-url-1", tenant_id, method, str(expires), most, key))
    digest = hmac.new(signing.key, said.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _refused(reason: str) -> Fatal:
    return Fatal(f"the signed URL {reason}", code=Code.FORBIDDEN, hint="ask for a new one")
