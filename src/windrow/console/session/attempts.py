"""Logins at the issuer that are under way: what the browser keeps meanwhile, and what ties the issuer's answer to it.

`EXPIRES.SEED.NEXT.MAC`, in a cookie: nobody has a tenant yet, whose rows it could be among. What goes to the issuer follows
from the seed and from a key that stays here: whoever reads the cookie learns neither the verifier nor the nonce.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from windrow.objects.signing import SigningKey
from windrow.web.oidc import Bonds

LIFETIME = timedelta(minutes=10)
_TEXT = re.compile(
    r"(?P<expires>[0-9]{1,12})\.(?P<seed>[A-Za-z0-9_-]{43})\.(?P<next>[A-Za-z0-9_-]{1,700})\.(?P<mac>[A-Za-z0-9_-]{43})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One login, and where it is to lead."""

    next: str
    bonds: Bonds = field(repr=False)

    @property
    def key(self) -> str:
        """Under which it is remembered that it was used."""
        return f"login/{hashlib.sha256(self.bonds.state.encode()).hexdigest()}"


class Attempts:
    """Begins logins, and knows them again."""

    def __init__(self, signing: SigningKey, *, clock: Callable[[], float] = time.time) -> None:
        self._key, self._clock = signing.key, clock

    def new(self, wanted: str) -> tuple[Attempt, str]:
        """One that leads there, which is a page of ours, and what its browser keeps of it."""
        expires, seed = str(int(self._clock() + LIFETIME.total_seconds())), secrets.token_urlsafe(32)
        said = f"{expires}.{seed}.{base64.urlsafe_b64encode(wanted.encode()).decode().rstrip('=')}"
        return Attempt(wanted, self._bonds(expires, seed)), f"{said}.{self._mac('cookie', said)}"

    def known(self, kept: str, state: str) -> Attempt | None:
        """The login that the browser began and that the issuer answers; None where these two are not one, or it took too long."""
        found = _TEXT.fullmatch(kept)
        if found is None or not hmac.compare_digest(found["mac"], self._mac("cookie", kept.rpartition(".")[0])):
            return None
        bonds = self._bonds(found["expires"], found["seed"])
        answered = hmac.compare_digest(bonds.state.encode(), state.encode("utf-8", "replace"))
        if not answered or int(found["expires"]) <= self._clock():
            return None
        wanted = found["next"]
        return Attempt(base64.urlsafe_b64decode(wanted + "=" * (-len(wanted) % 4)).decode(), bonds)

    def _bonds(self, expires: str, seed: str) -> Bonds:
        said = f"{expires}.{seed}"
        return Bonds(self._mac("state", said), self._mac("nonce", said), self._mac("verifier", said))

    def _mac(self, end: str, said: str) -> str:
        # no end holds a line break, so that none can be read as another
        digest = hmac.new(self._key, f"windrow-login-1\n{end}\n{said}".encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")
