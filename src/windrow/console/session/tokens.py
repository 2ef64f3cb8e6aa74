"""What a link or a cookie holds: the tenant whose row it is, and a secret of which that row has the hash.

The tenant stands in clear, since a row is found only by who is in its tenant; whoever writes another one finds nothing.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, field

_TEXT = re.compile(r"(?P<tenant>[a-z0-9][a-z0-9._-]{0,63})\.(?P<secret>[A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A secret of 256 bits, and where it is known."""

    tenant_id: str
    secret: str = field(repr=False)

    @classmethod
    def new(cls, tenant_id: str) -> "Token":
        return cls(tenant_id, secrets.token_urlsafe(32))

    @classmethod
    def parse(cls, text: str) -> "Token | None":
        """The token that the text is; None where it is none, whoever sent it."""
        found = _TEXT.fullmatch(text)
        return cls(found["tenant"], found["secret"]) if found and found["tenant"][-1].isalnum() else None

    @property
    def hash(self) -> str:
        # without salt or stretching: nobody guesses 256 bits
        return hashlib.sha256(self.secret.encode()).hexdigest()

    @property
    def text(self) -> str:
        return f"{self.tenant_id}.{self.secret}"
