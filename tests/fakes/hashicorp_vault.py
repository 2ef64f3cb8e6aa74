"""A HashiCorp Vault on the wire: KV version 2 below `secret/`, tokens with a time, AppRole logins, a seal.

Status codes and bodies are those of its HTTP API documentation: errors are `{"errors": […]}`, a deleted version answers
404 with its metadata, a sealed Vault answers 503 to everything, and what a token may not do answers 403.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Vendor


@dataclass
class Token:
    """What Vault knows of a token. `uses_left` ends its time: a fake has no clock to wait for."""

    prefixes: tuple[str, ...]
    ttl: int = 3600
    renewable: bool = True
    default_policy: bool = True
    renewals: int = 0
    most_renewals: int = 1000


@dataclass
class FakeVault(Vendor):
    """`vault.put("acme/github", token="…")`; `vault.tokens` are the valid ones."""

    versions: dict[str, list[dict[str, Any] | None]] = field(default_factory=dict, init=False)
    tokens: dict[str, Token] = field(default_factory=dict, init=False)
    roles: dict[str, tuple[str, Token]] = field(default_factory=dict, init=False)
    sealed: bool = field(default=False, init=False)

    def put(self, path: str, **fields: Any) -> None:
        """The next version of a secret."""
        with self.lock:
            self.versions.setdefault(path, []).append(fields)

    def delete_latest(self, path: str) -> None:
        with self.lock:
            self.versions[path][-1] = None

    def token(self, *prefixes: str, **more: Any) -> str:
        """A token that may read below these paths."""
        value = f"hvs.{secrets.token_urlsafe(16)}"
        with self.lock:
            self.tokens[value] = Token(prefixes, **more)
        return value

    def revoke_all(self) -> None:
        with self.lock:
            self.tokens.clear()

    def routes(self) -> Sequence[BaseRoute]:
        return (
            Route("/v1/auth/token/lookup-self", self._lookup),
            Route("/v1/auth/token/renew-self", self._renew, methods=["POST", "PUT"]),
            Route("/v1/auth/approle/login", self._login, methods=["POST", "PUT"]),
            Route("/v1/secret/data/{path:path}", self._read),
            Route("/v1/{path:path}", self._nothing, methods=["GET", "POST", "PUT"]),
        )

    def _bearer(self, request: Request) -> Token | Response:
        if self.sealed:
            return _errors(503, "Vault is sealed")
        token = self.tokens.get(request.headers.get("x-vault-token", ""))
        return token or _errors(403, "permission denied", "invalid token")

    async def _read(self, request: Request) -> Response:
        with self.lock:
            token = self._bearer(request)
            if isinstance(token, Response):
                return token
            path = request.path_params["path"]
            if not path.startswith(token.prefixes):
                return _errors(403, "1 error occurred:\n\t* permission denied\n\n")
            kept = self.versions.get(path)
            if not kept:
                return _errors(404)
            about = {
                "version": len(kept),
                "created_time": "2026-01-01T00:00:00Z",
                "destroyed": False,
                "deletion_time": "",
            }
            if kept[-1] is None:
                gone = {**about, "deletion_time": "2026-01-02T00:00:00Z"}
                return JSONResponse({"data": {"data": None, "metadata": gone}}, 404)
            return JSONResponse({"request_id": "r", "lease_id": "", "data": {"data": kept[-1], "metadata": about}})

    async def _lookup(self, request: Request) -> Response:
        with self.lock:
            token = self._bearer(request)
            if isinstance(token, Response):
                return token
            if not token.default_policy:
                return _errors(403, "permission denied")
            return JSONResponse({"data": {"ttl": token.ttl, "renewable": token.renewable, "id": "hvs.…"}})

    async def _renew(self, request: Request) -> Response:
        with self.lock:
            token = self._bearer(request)
            if isinstance(token, Response):
                return token
            if not token.renewable or token.renewals >= token.most_renewals:
                return _errors(400, "lease is not renewable")
            token.renewals += 1
            return JSONResponse({"auth": _auth(request.headers["x-vault-token"], token)})

    async def _login(self, request: Request) -> Response:
        given = await request.json()
        with self.lock:
            if self.sealed:
                return _errors(503, "Vault is sealed")
            secret_id, grants = self.roles.get(given.get("role_id"), (None, None))
            if grants is None or secret_id != given.get("secret_id"):
                return _errors(400, "invalid role or secret ID")
            value = self.token(
                *grants.prefixes, ttl=grants.ttl, renewable=grants.renewable, most_renewals=grants.most_renewals
            )
            return JSONResponse({"auth": _auth(value, self.tokens[value])})

    async def _nothing(self, request: Request) -> Response:
        with self.lock:
            token = self._bearer(request)
            return token if isinstance(token, Response) else _errors(404, "no handler for route")


def _auth(value: str, token: Token) -> dict[str, Any]:
    return {"client_token": value, "lease_duration": token.ttl, "renewable": token.renewable, "policies": ["default"]}


def _errors(status: int, *errors: str) -> Response:
    return JSONResponse({"errors": list(errors)}, status)
