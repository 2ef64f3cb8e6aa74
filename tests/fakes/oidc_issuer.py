"""An OpenID Connect issuer on loopback, by the letter: it describes itself, asks nobody for a password, gives codes that are
good once and for one client, checks PKCE and the client's secret, signs ID tokens and access tokens, tells of a person at its
`userinfo_endpoint`, and logs people out once they say so, or at once where a token tells who leaves."""

import asyncio
import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.key_server import IssuerKey, base64url, issuer_key
from tests.fakes.vendor import Vendor

CLIENT, SECRET, AUDIENCE = "windrow-console", "s3cret/of the+client", "windrow-api"
ACCESS_TOKEN = "opaque-access-token"
PERSON: dict[str, Any] = {
    "sub": "8c1f6c1e-anna",
    "email": "anna@acme.example",
    "email_verified": True,
    "tenant_id": "acme",
    "project_id": "main",
    "realm_access": {"roles": ["offline_access", "writer"]},
}


@dataclass
class OidcIssuer(Vendor):
    """`person` is who logs in; `answers` (an error) is what becomes of it instead. `twist` changes an ID token's claims,
    `sign` how it is signed; `tells` what is told of the person beside the token; `said` what it says of itself. `open` holds the token endpoint back."""

    redirect_uris: set[str] = field(default_factory=set, init=False)
    codes: dict[str, dict[str, str]] = field(default_factory=dict, init=False)
    given: list[str] = field(default_factory=list, init=False)
    secret: str | None = field(init=False)
    person: dict[str, Any] = field(init=False)
    tells: dict[str, Any] = field(init=False)
    left: list[dict[str, str]] = field(default_factory=list, init=False)
    answers: str | None = field(init=False)
    said: dict[str, Any] = field(init=False)
    twist: Callable[[dict[str, Any]], dict[str, Any]] = field(init=False)
    sign: Callable[[Mapping[str, Any]], str] | None = field(init=False)
    key: IssuerKey = field(init=False)
    open: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        self.forgets()

    def forgets(self) -> None:
        """As it was at its start."""
        with self.lock:
            self.requests.clear()
            self.codes.clear()
            self.given.clear()
            self.redirect_uris.clear()
            self.left.clear()
            self.key = issuer_key("realm")
            self.secret, self.person, self.answers, self.said = SECRET, dict(PERSON), None, {}
            self.tells = {}
            self.before, self.sign, self.twist = None, None, lambda claims: claims
            self.open.set()

    @property
    def name(self) -> str:
        return f"{self.base_url}/realms/acme"

    def token(self, **claims: Any) -> str:
        """An access token for the API, as a program would have got it."""
        return self.key.token(self._claims(AUDIENCE) | claims, typ="at+jwt")

    def asked_for(self, path: str) -> int:
        return sum(asked.path == path for asked in self.requests)

    def close(self) -> None:
        self.open.set()
        super().close()

    def routes(self) -> Sequence[BaseRoute]:
        return (
            Route("/realms/acme/.well-known/openid-configuration", self._describe),
            Route("/realms/acme/authorize", self._authorize),
            Route("/realms/acme/token", self._token, methods=["POST"]),
            Route("/realms/acme/certs", self._certs),
            Route("/realms/acme/userinfo", self._tell),
            Route("/realms/acme/logout", self._log_out),
        )

    async def _describe(self, _request: Request) -> Response:
        with self.lock:
            described = {
                "issuer": self.name,
                "authorization_endpoint": f"{self.name}/authorize?theme=plain",
                "token_endpoint": f"{self.name}/token",
                "jwks_uri": f"{self.name}/certs",
                "userinfo_endpoint": f"{self.name}/userinfo",
                "end_session_endpoint": f"{self.name}/logout",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": [self.key.algorithm],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
                "authorization_response_iss_parameter_supported": True,
            }
            return JSONResponse(described | self.said)

    async def _certs(self, _request: Request) -> Response:
        return JSONResponse({"keys": [self.key.jwk]})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        with self.lock:
            if asked.get("client_id") != CLIENT or asked.get("redirect_uri") not in self.redirect_uris:
                return PlainTextResponse("unknown client or address", 400)
            if asked.get("response_type") != "code" or asked.get("code_challenge_method") != "S256":
                return self._back(asked, error="invalid_request")
            if "openid" not in asked["scope"].split() or asked.get("theme") != "plain":
                return self._back(asked, error="invalid_scope")
            if self.answers:
                return self._back(asked, error=self.answers, error_description="<script>alert(1)</script>")
            code = secrets.token_urlsafe(24)
            self.codes[code] = asked
            self.given.append(code)
            return self._back(asked, code=code)

    def _back(self, asked: Mapping[str, str], **said: str) -> Response:
        query = urlencode({**said, "state": asked["state"], "iss": self.name})
        return RedirectResponse(f"{asked['redirect_uri']}?{query}", 302)

    async def _token(self, request: Request) -> Response:
        await asyncio.to_thread(self.open.wait)
        form = dict(parse_qsl((await request.body()).decode()))
        with self.lock:
            if not self._is_client(request, form):
                return JSONResponse({"error": "invalid_client"}, 401)
            # gone, whatever comes of it: a code is good once
            asked = self.codes.pop(form.get("code", ""), None)
            if asked is None or form.get("grant_type") != "authorization_code":
                return JSONResponse({"error": "invalid_grant", "error_description": f"code={form.get('code')}"}, 400)
            challenge = base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if form.get("redirect_uri") != asked["redirect_uri"] or challenge != asked["code_challenge"]:
                return JSONResponse({"error": "invalid_grant"}, 400)
            claims = self.twist(self._claims(CLIENT) | {"nonce": asked["nonce"]})
            signed = self.sign(claims) if self.sign else self.key.token(claims)
            return JSONResponse(
                {"token_type": "Bearer", "expires_in": 300, "access_token": ACCESS_TOKEN, "id_token": signed}
            )

    async def _tell(self, request: Request) -> Response:
        """Of the person whom the access token is for (OpenID Connect Core, 5.3)."""
        if request.headers.get("authorization") != f"Bearer {ACCESS_TOKEN}":
            return JSONResponse({"error": "invalid_token"}, 401, {"www-authenticate": 'Bearer error="invalid_token"'})
        with self.lock:
            return JSONResponse({"sub": self.person["sub"], **self.tells})

    async def _log_out(self, request: Request) -> Response:
        """OpenID Connect RP-Initiated Logout: back only to an address that is registered, for a client that is named."""
        asked = dict(request.query_params)
        with self.lock:
            back = asked.get("post_logout_redirect_uri", "")
            if asked.get("client_id") != CLIENT or f"{back}/oidc/callback" not in self.redirect_uris:
                return PlainTextResponse("unknown client or address", 400)
            self.left.append(asked)
            return RedirectResponse(back, 302)

    def _is_client(self, request: Request, form: Mapping[str, str]) -> bool:
        if self.secret is None:
            return form.get("client_id") == CLIENT
        scheme, _, proof = request.headers.get("authorization", "").partition(" ")
        if scheme != "Basic":
            return (form.get("client_id"), form.get("client_secret")) == (CLIENT, self.secret)
        name, _, secret = base64.b64decode(proof).decode().partition(":")
        return (unquote_plus(name), unquote_plus(secret)) == (CLIENT, self.secret)

    def _claims(self, audience: str) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.name, "aud": audience, "iat": now, "exp": now + 300, **self.person}


def unsigned(claims: Mapping[str, Any]) -> str:
    """A token that nobody signed, and that says so."""
    head = base64url(json.dumps({"alg": "none", "typ": "JWT"}).encode())
    return f"{head}.{base64url(json.dumps(claims).encode())}."
