"""Who we are to GitHub: nobody, the holder of a token, or the installation of an App.

An App proves itself by a JWT that it signs with its private key, and is given a token of its installation for an hour. That
token is kept in memory only, and renewed before it runs out, or when it is refused.
"""

import base64
from datetime import datetime, timedelta
from typing import Any

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from windrow.connectors.context import Context
from windrow.connectors.github.config import GithubConfig
from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpClient, HttpFailure, Response
from windrow.http.headers import Headers
from windrow.vault import Secret

# GitHub takes ten minutes at the most, and its clock may be behind ours
_JWT_AGE, _JWT_LIFE = timedelta(seconds=60), timedelta(minutes=9)
_RENEWED_BEFORE = timedelta(minutes=5)
_TOKEN_LIFE = timedelta(minutes=50)


class Token:
    """A token as it is, read anew for each request: one that was rotated is picked up. No credential: anonymous."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def __call__(self, *, refused: bool = False) -> Headers:  # noqa: ARG002 - nothing is kept that could be stale
        credential = await self._context.credential()
        return {} if credential is None else _bearer(credential.reveal().strip())


class Installation:
    """The token of an App's installation."""

    def __init__(self, config: GithubConfig, context: Context, client: HttpClient) -> None:
        self._config, self._context, self._client = config, context, client
        self._token: Secret | None = None
        self._until: datetime | None = None

    async def __call__(self, *, refused: bool = False) -> Headers:
        if refused or self._token is None or self._until is None or self._context.now() >= self._until:
            self._token, self._until = await self._exchanged()
        return _bearer(self._token.reveal())

    async def _exchanged(self) -> tuple[Secret, datetime]:
        key = await self._context.credential()
        if key is None:
            raise Fatal(
                "a GitHub App needs its private key",
                code=Code.CREDENTIAL_MISSING,
                hint="name it as credential_ref, or leave out app_id",
            )
        signed = Secret(jwt(self._config.app_id or "", key, self._context.now()))
        try:
            answer = await self._client.post(
                f"{self._config.base_url}/app/installations/{self._config.installation_id}/access_tokens",
                headers={"authorization": Secret(f"Bearer {signed.reveal()}"), "accept": "application/vnd.github+json"},
                # a second token does no harm
                idempotent=True,
            )
        except HttpFailure as error:
            raise _not_given(error) from error
        given = _read(answer)
        if not isinstance(given.get("token"), str):
            raise Fatal("GitHub gave no token for the installation", code=Code.UNAUTHORIZED, hint=_HINT)
        return Secret(given["token"]), self._ends(given.get("expires_at"))

    def _ends(self, text: Any) -> datetime:
        """When the token is to be renewed."""
        now = self._context.now()
        try:
            expires = datetime.fromisoformat(text) - _RENEWED_BEFORE
        except (TypeError, ValueError):
            return now + _TOKEN_LIFE
        return min(expires, now + _TOKEN_LIFE) if expires.tzinfo else now + _TOKEN_LIFE


_HINT = "check app_id, installation_id and the private key, and that the App is still installed and not suspended"


def _read(answer: Response) -> dict[str, Any]:
    try:
        said = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:
        said = None  # nothing of it is quoted: there may be half a token in it
    return said if isinstance(said, dict) else {}


def _not_given(error: HttpFailure) -> Exception:
    if error.status in (401, 403, 404):
        return Fatal(f"GitHub gives the App no token: {error.message}", code=Code.UNAUTHORIZED, hint=_HINT)
    return error


def jwt(app_id: str, key: Secret, now: datetime) -> str:
    """What an App proves itself by: signed with RS256, for a few minutes."""
    claims = {"iat": int((now - _JWT_AGE).timestamp()), "exp": int((now + _JWT_LIFE).timestamp()), "iss": app_id}
    said = ".".join(_coded(msgspec.json.encode(part)) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    return f"{said}.{_coded(_private(key).sign(said.encode(), PKCS1v15(), SHA256()))}"


def _private(key: Secret) -> RSAPrivateKey:
    try:
        loaded = load_pem_private_key(key.reveal().encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        loaded = None
    if not isinstance(loaded, RSAPrivateKey):
        # outside of the handler: the library's error may quote the key
        raise Fatal(
            "the credential is not the private key of a GitHub App",
            code=Code.UNAUTHORIZED,
            hint="give the PEM file that GitHub made: it begins with -----BEGIN RSA PRIVATE KEY-----",
        )
    return loaded


def _bearer(token: str) -> Headers:
    return {"authorization": Secret(f"Bearer {token}")}


def _coded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")
