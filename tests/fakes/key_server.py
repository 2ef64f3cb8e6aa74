"""An OpenID Connect issuer on the wire: real keys, tokens put together by hand, and the address of its public keys."""

import asyncio
import base64
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Vendor


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def number(value: int) -> str:
    """As a JSON Web Key writes it."""
    return base64url(value.to_bytes((value.bit_length() + 7) // 8))


Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@dataclass(frozen=True)
class IssuerKey:
    """A key pair that an issuer signs with."""

    name: str
    private: Private
    algorithm: str = "RS256"

    @property
    def jwk(self) -> dict[str, Any]:
        """The public half, as issuers publish it."""
        return {"alg": self.algorithm, "use": "sig", "kid": self.name, **_numbers(self.private)}

    def token(self, claims: Mapping[str, Any], **header: Any) -> str:
        """A token with these claims; what is said of the header stands for the usual, None for nothing."""
        usual = {"alg": self.algorithm, "kid": self.name, "typ": "JWT", **header}
        told = {name: value for name, value in usual.items() if value is not None}
        return self.signed(json.dumps(told).encode(), json.dumps(claims).encode())

    def signed(self, header: bytes, payload: bytes) -> str:
        """Any bytes as header and payload, rightly signed."""
        signing = f"{base64url(header)}.{base64url(payload)}"
        return f"{signing}.{base64url(_signature(self.private, self.algorithm, signing.encode()))}"


def _numbers(private: Private) -> dict[str, str]:
    """A public key, as RFC 7518 and RFC 8037 write it."""
    match private:
        case rsa.RSAPrivateKey():
            numbers = private.public_key().public_numbers()
            return {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        case ec.EllipticCurvePrivateKey():
            point = private.public_key().public_numbers()
            size = (private.curve.key_size + 7) // 8
            curve = {"secp256r1": "P-256", "secp384r1": "P-384"}[private.curve.name]
            x, y = (base64url(value.to_bytes(size)) for value in (point.x, point.y))
            return {"kty": "EC", "crv": curve, "x": x, "y": y}
        case ed25519.Ed25519PrivateKey():
            return {"kty": "OKP", "crv": "Ed25519", "x": base64url(private.public_key().public_bytes_raw())}


def _signature(private: Private, algorithm: str, data: bytes) -> bytes:
    match private:
        case rsa.RSAPrivateKey():
            pss = padding.PSS(padding.MGF1(hashes.SHA256()), hashes.SHA256.digest_size)
            return private.sign(data, pss if algorithm == "PS256" else padding.PKCS1v15(), hashes.SHA256())
        case ec.EllipticCurvePrivateKey():
            # RFC 7518, 3.4: the two numbers side by side, not as ASN.1 has them
            size = (private.curve.key_size + 7) // 8
            pair = decode_dss_signature(private.sign(data, ec.ECDSA(hashes.SHA256())))
            return b"".join(value.to_bytes(size) for value in pair)
        case ed25519.Ed25519PrivateKey():
            return private.sign(data)


@cache
def issuer_key(name: str, bits: int = 2048, algorithm: str = "RS256") -> IssuerKey:
    """The same pair for the same name: making one takes a tenth of a second."""
    made: Private
    match algorithm:
        case "ES256":
            made = ec.generate_private_key(ec.SECP256R1())
        case "EdDSA" | "Ed25519":
            made = ed25519.Ed25519PrivateKey.generate()
        case _:
            made = rsa.generate_private_key(65537, bits)
    return IssuerKey(name, made, algorithm)


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
