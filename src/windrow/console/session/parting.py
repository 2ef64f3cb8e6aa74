"""What a browser keeps for the day that it logs out at the issuer too: the token by which it was let in, sealed.

It tells who somebody is, so no row of ours holds it, and whoever else reads the cookie, as other ports can on loopback, learns
nothing. It opens for the session that it was sealed for, and no other.
"""

import base64
import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from windrow.console.session.tokens import Token
from windrow.objects.signing import SigningKey

# browsers keep 4096 bytes of a cookie, with its name and all it says of itself
LONGEST = 3600
_NONCE = 12


class Parting:
    """Seals tokens of the issuer, and opens them again."""

    def __init__(self, signing: SigningKey) -> None:
        self._cipher = AESGCM(hmac.digest(signing.key, b"windrow-parting-1", "sha256"))

    def sealed(self, token: str, session: Token) -> str | None:
        """What the browser keeps; None where that would be too long."""
        nonce = secrets.token_bytes(_NONCE)
        text = base64.urlsafe_b64encode(nonce + self._cipher.encrypt(nonce, token.encode(), session.hash.encode()))
        return text.decode() if len(text) <= LONGEST else None

    def opened(self, kept: str, session: Token) -> str | None:
        """The token; None where it is another session's, or none at all."""
        try:
            data = base64.urlsafe_b64decode(kept) if len(kept) <= LONGEST else b""
            return self._cipher.decrypt(data[:_NONCE], data[_NONCE:], session.hash.encode()).decode()
        except (InvalidTag, ValueError):
            return None
