"""Signing in: an access token for a client secret or a refresh token, kept in memory until shortly before it runs out."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from windrow.connectors.context import Context
from windrow.connectors.onedrive.config import OneDriveConfig, SignIn
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.http import HttpClient, Response
from windrow.http.headers import Headers
from windrow.vault import Secret

# a token is renewed so long before its end: a call that begins with it has time to arrive
_EARLY = timedelta(minutes=5)
_NO_TOKEN = timedelta(hours=1)
_LONGEST_LIFE = timedelta(days=1)
_LATER = frozenset({"temporarily_unavailable", "server_error"})
_HINTS = {
    "invalid_client": "the client secret is wrong or has run out: make a new one in the app registration and store it",
    "invalid_grant": "the refresh token was revoked or has run out: sign in again and store the new one",
    "unauthorized_client": "the app registration does not allow this kind of sign-in in this directory",
    "invalid_scope": "an administrator has to grant the app its permissions on Microsoft Graph",
}
# the number by which the vendor's documentation explains the refusal; the rest of the text is for no log
_NUMBER = re.compile(r"AADSTS\d{4,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Access:
    """An access token, and when to have another one."""

    header: Secret = field(repr=False)
    until: datetime


class Proof:
    """Gives each request the token that proves who we are; after a refusal, a new one."""

    def __init__(self, config: OneDriveConfig, context: Context, http: HttpClient) -> None:
        self._config, self._context, self._http = config, context, http
        self._access: Access | None = None
        # the server may give a new refresh token with each access token; it is used for as long as we live
        self._rotated: Secret | None = None
        self._one = asyncio.Lock()

    async def ready(self, tool: ExecutionTool) -> None:
        """Sign in, if that is due: as a call of its own, before the one that needs it."""
        if self._due():
            await tool.call("sign in", self._renewed)

    async def __call__(self, *, refused: bool = False) -> Headers:
        access = self._access
        if refused or access is None:
            async with self._one:
                access = self._access = await self._signed_in()
        return {"authorization": access.header}

    async def _renewed(self) -> None:
        # locked inside of the call: who holds the lock has a place already, and waits for nobody who waits for him
        async with self._one:
            if self._due():
                self._access = await self._signed_in()

    def _due(self) -> bool:
        return self._access is None or self._context.now() >= self._access.until

    async def _signed_in(self) -> Access:
        asked = self._context.now()
        config = self._config
        answer = await self._http.post(
            f"{config.login_url}/{config.directory}/oauth2/v2.0/token",
            form=await self._form(),
            headers={"accept": "application/json"},
            accept_status=(400, 401, 403),
            idempotent=True,
        )
        if answer.status != 200:
            raise _refusal(answer)
        return self._granted(_object(answer), asked)

    async def _form(self) -> dict[str, str | Secret]:
        credential = await self._context.credential()
        if credential is None:
            raise Fatal(
                "onedrive needs a credential to sign in with",
                code=Code.CREDENTIAL_MISSING,
                hint="name a credential_ref: the client secret, or a refresh token",
            )
        parts = _parts(credential, self._config.sign_in)
        form: dict[str, str | Secret] = {"client_id": self._config.client_id, "scope": self._config.scope, **parts}
        if self._config.sign_in is SignIn.APPLICATION:
            return form | {"grant_type": "client_credentials"}
        return form | {"grant_type": "refresh_token"} | ({"refresh_token": self._rotated} if self._rotated else {})

    def _granted(self, said: dict[str, Any], asked: datetime) -> Access:
        token, life = said.get("access_token"), _life(said.get("expires_in"))
        if not isinstance(token, str) or not token:
            raise ValidationFailure(
                "the sign-in was answered without a token", code=Code.INVALID_VALUE, hint="check login_url"
            )
        fresh = said.get("refresh_token")
        if self._config.sign_in is SignIn.USER and isinstance(fresh, str) and fresh:
            self._rotated = Secret(fresh)
        Secret(token)  # known as a secret by itself too, wherever it may turn up
        return Access(Secret(f"Bearer {token}"), asked + max(life - _EARLY, life / 2))


def _parts(credential: Secret, sign_in: SignIn) -> dict[str, str | Secret]:
    """What the credential holds: one text, or a JSON object with `client_secret` and `refresh_token`."""
    wanted = "client_secret" if sign_in is SignIn.APPLICATION else "refresh_token"
    text = credential.reveal().strip()
    if not text.startswith("{"):
        return {wanted: Secret(text)}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = {}
    names = ("client_secret",) if sign_in is SignIn.APPLICATION else ("refresh_token", "client_secret")
    parts: dict[str, str | Secret] = {
        name: Secret(found[name]) for name in names if isinstance(found.get(name), str) and found[name]
    }
    if wanted not in parts:
        # outside the handler: what a parser raises carries the whole text
        raise Fatal(
            f"the credential of onedrive is JSON without a {wanted.replace('_', ' ')}",
            code=Code.CREDENTIAL_MISSING,
            hint=f"store the text alone, or an object with the field {wanted}",
        )
    return parts


def _life(seconds: Any) -> timedelta:
    """How long a token lives; some servers write the number as a text."""
    try:
        return min(max(timedelta(seconds=float(seconds)), timedelta(0)), _LONGEST_LIFE)
    except (TypeError, ValueError, OverflowError):
        return _NO_TOKEN


def _object(answer: Response) -> dict[str, Any]:
    said = answer.json()
    return said if isinstance(said, dict) else {}


def _refusal(answer: Response) -> WindrowError:
    said: dict[str, Any] = {}
    with suppress(ValidationFailure):  # a web page, from something that stands in between
        said = _object(answer)
    error = said.get("error")
    name = error if isinstance(error, str) and re.fullmatch(r"[a-z_]{1,60}", error) else f"status {answer.status}"
    number = _NUMBER.search(str(said.get("error_description", ""))[:200])
    message = f"the sign-in is refused: {name}" + (f" ({number[0]})" if number else "")
    if name in _LATER:
        return RetryableTransient(message)
    hint = _HINTS.get(name, "check directory, client_id and the credential")
    return Fatal(message, code=Code.UNAUTHORIZED, hint=hint)
