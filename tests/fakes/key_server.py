"""An OpenID Connect issuer on the wire: real RSA keys, tokens put together by hand, and the address of its public keys."""

import asyncio
import base64
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Vendor


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def number(value: int) -> str:
    """As a JSON Web Key writes it."""
    return base64url(value.to_bytes((value.bit_length() + 7) // 8))


@dataclass(frozen=True)
class IssuerKey:
    """A key pair that an issuer signs with."""

    name: str
    private: rsa.RSAPrivateKey

    @property
    def jwk(self) -> dict[str, Any]:
        """The public half, as Google publishes it."""
        numbers = self.private.public_key().public_numbers()
        about = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.name}
        return {**about, "n": number(numbers.n), "e": number(numbers.e)}

    def token(self, claims: Mapping[str, Any], **header: Any) -> str:
        """A token with these claims; what is said of the header stands for the usual, None for nothing."""
        usual = {"alg": "RS256", "kid": self.name, "typ": "JWT", **header}
        told = {name: value for name, value in usual.items() if value is not None}
        return self.signed(json.dumps(told).encode(), json.dumps(claims).encode())

    def signed(self, header: bytes, payload: bytes) -> str:
        """Any bytes as header and payload, rightly signed."""
        signing = f"{base64url(header)}.{base64url(payload)}"
        signature = self.private.sign(signing.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signing}.{base64url(signature)}"


@cache
def issuer_key(name: str, bits: int = 2048) -> IssuerKey:
    """The same pair for the same name: making one takes a tenth of a second."""
    return IssuerKey(name, rsa.generate_private_key(65537, bits))


@dataclass
class KeyServer(Vendor):
    """`server.publishes(key, …)`; `body` and `status` make it answer something else, `open` holds its answers back."""

    body: bytes = field(default=b'{"keys": []}', init=False)
    status: int = field(default=200, init=False)
    headers: dict[str, str] = field(default_factory=dict, init=False)
    asked: threading.Event = field(default_factory=threading.Event, init=False)
    open: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        self.open.set()

    def forgets(self) -> None:
        """As it was at its start: starting and stopping one takes longer than most tests."""
        with self.lock:
            self.body, self.status, self.headers, self.before = b'{"keys": []}', 200, {}, None
            self.requests.clear()
            self.asked.clear()
            self.open.set()

    @property
    def url(self) -> str:
        return f"{self.base_url}/oauth2/v3/certs"

    def publishes(self, *keys: IssuerKey) -> None:
        with self.lock:
            self.body = json.dumps({"keys": [key.jwk for key in keys]}).encode()

    def routes(self) -> Sequence[BaseRoute]:
        return (Route("/oauth2/v3/certs", self._certs),)

    def close(self) -> None:
        self.open.set()
        super().close()

    async def _certs(self, _request: Request) -> Response:
        self.asked.set()
        await asyncio.to_thread(self.open.wait)
        with self.lock:
            return Response(self.body, self.status, self.headers, media_type="application/json")
