"""How somebody logs in at the issuer: the authorization code flow of OpenID Connect, with PKCE.

The browser is sent to the issuer and comes back with a code; we exchange it, from server to server, for a token that says
who it is. What was asked and what comes back are tied together threefold: `state` to the browser, the verifier to the
exchange, `nonce` to the token.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote_plus

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import HttpClient, HttpForbidden, Limits, Secret
from windrow.http.urls import checked_url
from windrow.web.oidc import strict
from windrow.web.oidc.claims import Claims
from windrow.web.oidc.discovery import Provider
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.oidc.issuer import Issuer
from windrow.web.oidc.verifier import Verifier

LARGEST_ANSWER = 64 * 1024
# the token was made for us while we waited
LONGEST_AGE = timedelta(minutes=10)
_LIMITS = Limits(wire_bytes=LARGEST_ANSWER, body_bytes=LARGEST_ANSWER)
_CODE = re.compile(r"[\x21-\x7e]{1,4096}", re.ASCII)


@dataclass(frozen=True, slots=True, repr=False)
class Bonds:
    """What ties an answer of the issuer to what was asked."""

    state: str
    nonce: str
    verifier: str

    @property
    def challenge(self) -> str:
        """By which the issuer will know the verifier (RFC 7636, S256)."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True, slots=True, repr=False)
class _Passing:
    """Secret for the length of one call. A `vault.Secret` is remembered for good, and strangers could send us thousands."""

    text: str

    def reveal(self) -> str:
        return self.text


class CodeFlow:
    """What this server is to the issuer: a client with an id, an address to come back to and, perhaps, a secret."""

    def __init__(
        self,
        http: HttpClient,
        issuer: Issuer,
        client_id: str,
        redirect_uri: str,
        *,
        secret: Callable[[], Awaitable[Secret]] | None = None,
        scopes: Collection[str] = ("openid",),
    ) -> None:
        self.issuer = issuer
        self._http, self._client_id, self._redirect_uri, self._secret = http, client_id, redirect_uri, secret
        self._scope = " ".join(dict.fromkeys(("openid", *scopes)))
        self._verifier = Verifier(issuer.name, client_id, issuer, longest_age=LONGEST_AGE)

    async def address(self, bonds: Bonds) -> str:
        """Where to send the browser. Raises RetryableTransient while the issuer is away."""
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._scope,
            "state": bonds.state,
            "nonce": bonds.nonce,
            "code_challenge": bonds.challenge,
            "code_challenge_method": "S256",
        }
        return str(checked_url((await self.issuer.provider()).authorization).copy_merge_params(asked))

    async def check_sender(self, named: str | None) -> None:
        """Refuse an answer that is another issuer's (RFC 9207), or does not say whose it is where ours does."""
        if named != self.issuer.name and (named is not None or (await self.issuer.provider()).signs_answers):
            raise TokenRefused(Flaw.ISSUER)

    async def claims(self, code: str, bonds: Bonds) -> Claims:
        """Whose code it is. It is spent by this, whatever comes of it."""
        token = await self._exchanged(code, bonds)
        claims = await self._verifier.claims(token)
        nonce, party = claims.said.get("nonce"), claims.said.get("azp", self._client_id)
        if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), bonds.nonce.encode()):
            raise TokenRefused(Flaw.NONCE)
        if party != self._client_id:
            raise TokenRefused(Flaw.AUDIENCE)
        return claims

    async def _exchanged(self, code: str, bonds: Bonds) -> str:
        if not _CODE.fullmatch(code):
            raise ValidationFailure("this is no code", code=Code.REFUSED)
        provider = await self.issuer.provider()
        headers, proof = await self._proof(provider)
        form: dict[str, str | Secret] = {
            "grant_type": "authorization_code",
            "code": _Passing(code),
            "redirect_uri": self._redirect_uri,
            "code_verifier": _Passing(bonds.verifier),
            **proof,
        }
        try:
            answer = await self._http.post(
                provider.token, form=form, headers=headers, accept=("application/json",), limits=_LIMITS
            )
        except HttpForbidden as error:
            raise Fatal(
                f"the issuer does not accept this server: {error.message}",
                code=Code.UNAUTHORIZED,
                hint="compare WINDROW_OIDC_CLIENT_ID and what WINDROW_OIDC_CLIENT_SECRET_REF leads to with the issuer",
            ) from error
        return _id_token(answer.body)

    async def _proof(self, provider: Provider) -> tuple[dict[str, str | Secret], dict[str, str | Secret]]:
        """Who we are, as headers and as fields: by Basic where the issuer takes it (RFC 6749, 2.3.1), by a field, or, without
        a secret, by our id alone."""
        if self._secret is None:
            return {}, {"client_id": self._client_id}
        secret = await self._secret()
        if "client_secret_basic" in provider.proofs:
            pair = f"{quote_plus(self._client_id)}:{quote_plus(secret.reveal())}"
            return {"authorization": _Passing(f"Basic {base64.b64encode(pair.encode()).decode()}")}, {}
        if "client_secret_post" in provider.proofs:
            return {}, {"client_id": self._client_id, "client_secret": secret}
        raise Fatal(
            "the issuer takes a client's secret in no way that we know",
            code=Code.CONFIGURATION,
            hint="allow client_secret_basic or client_secret_post there, or make the client a public one",
        )


def _id_token(body: bytes) -> str:
    """The token in the answer; the others that come with it are for nobody here, and kept nowhere."""
    try:
        token = strict.object_of(body).get("id_token")
    except ValueError:
        token = None
    if not isinstance(token, str):
        raise TokenRefused(Flaw.MALFORMED)
    return token
