"""URLs that a service account has signed (V4), checked as Google does."""

import hashlib
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starlette.requests import Request

EMAIL = "windrow@acme-prod.iam.gserviceaccount.com"


@cache
def key() -> rsa.RSAPrivateKey:
    """Made once: it takes as long as a test."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def account(token_uri: str) -> dict[str, Any]:
    """What is in the key file of the service account."""
    private = key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return {
        "type": "service_account",
        "project_id": "acme-prod",
        "private_key_id": "key-1",
        "private_key": private.decode(),
        "client_email": EMAIL,
        "token_uri": token_uri,
    }


def is_signed(request: Request) -> bool:
    """Whether this very request was signed, and is not too late."""
    said = dict(request.query_params)
    signature = said.pop("X-Goog-Signature", "")
    if said.get("X-Goog-Algorithm") != "GOOG4-RSA-SHA256":
        return False
    begun = datetime.strptime(said["X-Goog-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    late = begun + timedelta(seconds=int(said["X-Goog-Expires"]))
    email, _, scope = said["X-Goog-Credential"].partition("/")
    if email != EMAIL or not begun - timedelta(minutes=15) <= datetime.now(UTC) < late:
        return False
    return _verified(_to_sign(request, said, scope), signature)


def _to_sign(request: Request, said: dict[str, str], scope: str) -> str:
    names = said["X-Goog-SignedHeaders"].split(";")
    query = "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in sorted(said.items()))
    lines = [request.method, request.scope["raw_path"].decode(), query]
    lines += [*(f"{name}:{request.headers.get(name, '')}" for name in names), "", ";".join(names), "UNSIGNED-PAYLOAD"]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return "\n".join(("GOOG4-RSA-SHA256", said["X-Goog-Date"], scope, digest))


def _verified(text: str, signature: str) -> bool:
    try:
        key().public_key().verify(bytes.fromhex(signature), text.encode(), padding.PKCS1v15(), hashes.SHA256())
    except (InvalidSignature, ValueError):
        return False
    return True
