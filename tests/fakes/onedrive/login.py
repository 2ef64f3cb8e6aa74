"""Microsoft's sign-in: access tokens for a client secret or a refresh token."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


@dataclass
class Login:
    """What it has granted, and to whom. Refresh tokens are given anew with each use; `strict`: the old one is void then."""

    directory: str = "acme.example"
    client_id: str = "6f1c0a52-app"
    secret: str = "canary-client-secret"
    refresh: str = "canary-refresh-0"
    life: int = 3599
    strict: bool = False
    granted: dict[str, str] = field(default_factory=dict)
    refreshing: set[str] = field(default_factory=set)
    forms: list[dict[str, str]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.refreshing.add(self.refresh)

    def revoke_access(self) -> None:
        """The access tokens of now are not accepted any more."""
        self.granted.clear()

    def who(self, request: Request) -> str | None:
        """`app` or `user`, by the token that came; None for one that is none."""
        return self.granted.get(request.headers.get("authorization", "").removeprefix("Bearer "))

    async def token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.forms.append(form)
        if request.path_params["directory"] != self.directory:
            return _refused(400, "invalid_request", 90002, "Tenant not found.")
        if form.get("client_id") != self.client_id:
            return _refused(400, "unauthorized_client", 700016, "Application was not found in the directory.")
        match form.get("grant_type"):
            case "client_credentials":
                return self._to_app(form)
            case "refresh_token":
                return self._to_user(form)
        return _refused(400, "unsupported_grant_type", 70003, "The grant type is not supported.")

    def _to_app(self, form: dict[str, str]) -> Response:
        if form.get("client_secret") != self.secret:
            return _refused(401, "invalid_client", 7000215, "Invalid client secret provided.")
        return self._grant("app")

    def _to_user(self, form: dict[str, str]) -> Response:
        given = form.get("refresh_token", "")
        if given not in self.refreshing:
            return _refused(400, "invalid_grant", 700082, "The refresh token has expired due to inactivity.")
        if self.strict:
            self.refreshing.discard(given)
        fresh = f"canary-refresh-{next(self._numbers)}"
        self.refreshing.add(fresh)
        return self._grant("user", refresh_token=fresh)

    def _grant(self, who: str, **more: str) -> Response:
        token = f"canary-access-{next(self._numbers)}-{time.time_ns()}"
        self.granted[token] = who
        said = {"token_type": "Bearer", "expires_in": self.life, "ext_expires_in": self.life, "access_token": token}
        return JSONResponse(said | more, headers={"cache-control": "no-store"})


def _refused(status: int, error: str, number: int, text: str) -> Response:
    said = {
        "error": error,
        "error_description": f"AADSTS{number}: {text} Trace ID: 0 Correlation ID: 0 Timestamp: 2026-01-05 08:00:00Z",
        "error_codes": [number],
        "trace_id": "0",
        "correlation_id": "0",
    }
    return JSONResponse(said, status_code=status)
