"""Google Secret Manager on the wire, and the token endpoint that stands before it.

Tokens are given for an assertion that the service account has signed (RFC 7523). Errors are those of Google's APIs:
`{"error": {"code", "message", "status"}}`; a version that is disabled or destroyed answers 400 FAILED_PRECONDITION.
"""

import base64
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Vendor

EMAIL = "windrow@acme-prod.iam.gserviceaccount.com"
PROJECT = "acme-prod"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# whatever the key file says of where tokens are got
_AUDIENCE = "https://oauth2.googleapis.com/token"
# made once: it takes as long as a test
_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class FakeSecretManager(Vendor):
    """`manager.put("github", b"…")`; `manager.tokens` are those that are still good."""

    versions: dict[str, list[bytes | None]] = field(default_factory=dict, init=False)
    tokens: set[str] = field(default_factory=set, init=False)
    forbidden: set[str] = field(default_factory=set, init=False)
    disabled: bool = field(default=False, init=False)

    def put(self, name: str, value: bytes) -> None:
        """The next version of a secret."""
        with self.lock:
            self.versions.setdefault(name, []).append(value)

    def account(self, folder: Path) -> Path:
        """The key file of the service account."""
        private = _KEY.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = folder / "account.json"
        said = {
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "key-1",
            "private_key": private.decode(),
            "client_email": EMAIL,
            "token_uri": f"{self.base_url}/token",
        }
        file.write_text(json.dumps(said))
        return file

    def routes(self) -> Sequence[BaseRoute]:
        return (
            Route("/token", self._token, methods=["POST"]),
            Route("/v1/projects/{project}/secrets/{name}/versions/{version}:access", self._access),
        )

    async def _token(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode())
        claims = _claims(form.get("assertion", [""])[0])
        with self.lock:
            if self.disabled or not claims or claims["iss"] != EMAIL or claims["aud"] != _AUDIENCE:
                return JSONResponse({"error": "invalid_grant", "error_description": "Invalid JWT Signature."}, 400)
            if claims["scope"] != _SCOPE:
                return JSONResponse({"error": "invalid_scope"}, 400)
            token = f"ya29.{secrets.token_urlsafe(24)}"
            self.tokens.add(token)
        return JSONResponse({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    async def _access(self, request: Request) -> Response:
        name, version = request.path_params["name"], request.path_params["version"]
        with self.lock:
            if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
                return _error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
            if name in self.forbidden or request.path_params["project"] != PROJECT:
                return _error(403, "PERMISSION_DENIED", "Permission 'secretmanager.versions.access' denied")
            kept = self.versions.get(name, [])
            number = len(kept) if version == "latest" else int(version)
            if not 0 < number <= len(kept):
                return _error(404, "NOT_FOUND", f"Secret [{name}] not found or has no versions.")
            value = kept[number - 1]
            if value is None:
                return _error(400, "FAILED_PRECONDITION", "Secret Version is in DESTROYED state.")
        resource = f"projects/123/secrets/{name}/versions/{number}"
        payload = {"data": base64.b64encode(value).decode(), "dataCrc32c": "0"}
        return JSONResponse({"name": resource, "payload": payload})


def _claims(assertion: str) -> dict[str, Any] | None:
    """What the assertion says, if the service account has signed it."""
    signed, _, signature = assertion.rpartition(".")
    try:
        _KEY.public_key().verify(_decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        claims: dict[str, Any] = json.loads(_decoded(signed.rpartition(".")[2]))
    except (InvalidSignature, ValueError):
        return None
    return claims


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _error(status: int, state: str, message: str) -> Response:
    return JSONResponse({"error": {"code": status, "message": message, "status": state}}, status)
