"""Who we are, for one API: the endpoint's credential as a header or a parameter, read at each use."""

import base64
from datetime import datetime, timedelta
from urllib.parse import unquote

from windrow.connectors.context import Context
from windrow.connectors.rest.definition import Auth, AuthType
from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpClient, HttpRefused
from windrow.http.headers import Headers
from windrow.vault import Secret

# a token is not used in its last moments: the request takes time too
_MARGIN = timedelta(seconds=30)
# what is shorter is found in any text
_TELLING = 8
_SHORTEST, _LONGEST = timedelta(seconds=1), timedelta(days=1)


class Proof:
    """Gives the headers, and for a credential in the query the parameters, that prove who we are."""

    def __init__(self, auth: Auth, token_url: str, context: Context, client: HttpClient) -> None:
        self._auth, self._token_url, self._context, self._client = auth, token_url, context, client
        self._token: Secret | None = None
        self._until: datetime | None = None

    async def __call__(self, *, refused: bool = False) -> Headers:
        """The headers for the next request; of a token that was refused, a new one."""
        match self._auth.type:
            case AuthType.BEARER:
                return {"authorization": _bearer(await self.credential())}
            case AuthType.BASIC:
                return {"authorization": _basic(await self.credential(), self._auth.username)}
            case AuthType.HEADER:
                assert self._auth.header
                return {self._auth.header: Secret(self._auth.prefix + (await self.credential()).reveal())}
            case AuthType.OAUTH2:
                return {"authorization": _bearer(await self._fresh_token(refused))}
            case _:
                return {}

    async def params(self) -> dict[str, str]:
        """The parameters, revealed for the one request that they go out with."""
        if self._auth.type is not AuthType.QUERY or self._auth.param is None:
            return {}
        return {self._auth.param: (await self.credential()).reveal()}

    async def is_shown_in(self, text: str) -> bool:
        """Whether a text from the source repeats the credential."""
        if self._auth.type is AuthType.NONE:
            return False
        secrets = [await self.credential(), *([self._token] if self._token else [])]
        parts = [part for secret in secrets for part in (secret.reveal(), secret.reveal().rpartition(":")[2])]
        return any(len(part) >= _TELLING and part in form for part in parts for form in (text, unquote(text)))

    @property
    def in_headers(self) -> "Proof | None":
        """This proof, where there are headers to ask it for."""
        return None if self._auth.type in (AuthType.NONE, AuthType.QUERY) else self

    async def credential(self) -> Secret:
        """The endpoint's credential, which has to be there."""
        found = await self._context.credential()
        if found is None or not found.reveal():
            raise Fatal(
                f"the definition says auth: {self._auth.type}, and the endpoint names no credential",
                code=Code.CREDENTIAL_MISSING,
                hint="name one as credential_ref (docs/how-to/credentials.md)",
            )
        return found

    async def _fresh_token(self, refused: bool) -> Secret:
        now = self._context.now()
        if self._token is None or refused or self._until is None or now >= self._until:
            self._token, lasts = await self._asked()
            self._until = now + max(min(lasts, _LONGEST) - _MARGIN, _SHORTEST)
        return self._token

    async def _asked(self) -> tuple[Secret, timedelta]:
        """A token for our client credentials."""
        auth, secret = self._auth, (await self.credential()).reveal()
        client_id, _, client_secret = (auth.client_id, "", secret) if auth.client_id else secret.partition(":")
        asks = {"grant_type": "client_credentials", "scope": auth.scope, "audience": auth.audience}
        form: dict[str, str | Secret] = {name: value for name, value in asks.items() if value}
        headers: Headers = {}
        if auth.client_auth == "body":
            form |= {"client_id": str(client_id), "client_secret": Secret(client_secret)}
        else:
            headers = {"authorization": _basic(Secret(f"{client_id}:{client_secret}"), None)}
        try:
            answer = await self._client.post(
                self._token_url, form=form, headers=headers, accept=("application/json",), idempotent=True
            )
        except HttpRefused as refusal:
            # invalid_client comes as 400 too
            raise _no_token(refusal.message) from refusal
        return _read_token(answer.json())


def _read_token(said: object) -> tuple[Secret, timedelta]:
    given = said if isinstance(said, dict) else {}
    token, lasts = given.get("access_token"), given.get("expires_in", 3600)
    if not isinstance(token, str) or not token:
        raise _no_token("the token endpoint gave no access_token")
    seconds = lasts if isinstance(lasts, int | float) and 0 < lasts < _LONGEST.total_seconds() else 3600
    return Secret(token), timedelta(seconds=seconds)


def _no_token(message: str) -> Fatal:
    return Fatal(message, code=Code.UNAUTHORIZED, hint="renew the client credentials, or check token_url and scope")


def _bearer(secret: Secret) -> Secret:
    return Secret(f"Bearer {secret.reveal()}")


def _basic(secret: Secret, username: str | None) -> Secret:
    pair = secret.reveal() if username is None else f"{username}:{secret.reveal()}"
    return Secret("Basic " + base64.b64encode(pair.encode()).decode("ascii"))
