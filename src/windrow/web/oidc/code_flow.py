"""How somebody logs in at the issuer: the authorization code flow of OpenID Connect, with PKCE.

The browser is sent to the issuer and comes back with a code; we exchange it, from server to server, for a token that says
who it is. What was asked and what comes back are tied together threefold: `state` to the browser, the verifier to the
exchange, `nonce` to the token. Where the token does not say all that is to be known, the issuer is asked for the rest.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windrow.http import HttpClient, HttpForbidden, HttpRefused, Secret
from windrow.http.urls import checked_url
from windrow.web.oidc.claims import Claims, told_further
from windrow.web.oidc.exchange import LIMITS, Exchange, Passing, not_answered, object_in
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.oidc.issuer import Issuer
from windrow.web.oidc.verifier import Verifier

# the token was made for us while we waited
LONGEST_AGE = timedelta(minutes=10)
# RFC 6750, 2.1
_ACCESS_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{1,16384}=*", re.ASCII)


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
class Vouched:
    """What the issuer says of somebody who has logged in there, and the token in which it says so."""

    claims: Claims
    token: str


class CodeFlow:
    """What this server is to the issuer: a client with an id, an address to come back to and, perhaps, a secret. `lacks`
    tells whether claims leave something open; `left_uri` is where to come back to from logging out there."""

    def __init__(
        self,
        http: HttpClient,
        issuer: Issuer,
        client_id: str,
        redirect_uri: str,
        *,
        secret: Callable[[], Awaitable[Secret]] | None = None,
        scopes: Collection[str] = ("openid",),
        lacks: Callable[[Mapping[str, Any]], bool] = lambda _: False,
        left_uri: str | None = None,
    ) -> None:
        self.issuer = issuer
        self._http, self._client_id, self._redirect_uri = http, client_id, redirect_uri
        self._lacks, self._left_uri = lacks, left_uri
        self._scope = " ".join(dict.fromkeys(("openid", *scopes)))
        self._exchange = Exchange(http, client_id, redirect_uri, secret)
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

    async def ending(self, token: str | None) -> str | None:
        """Where to send the browser to log out at the issuer too; None where the issuer offers no such thing.

        By the token that it once gave, the issuer knows who leaves; without one, it asks.
        """
        ending = (await self.issuer.provider()).ending
        if ending is None:
            return None
        said = {
            "id_token_hint": token,
            "client_id": self._client_id,
            "post_logout_redirect_uri": self._left_uri,
        }
        return str(checked_url(ending).copy_merge_params({name: value for name, value in said.items() if value}))

    async def check_sender(self, named: str | None) -> None:
        """Refuse an answer that is another issuer's (RFC 9207), or does not say whose it is where ours does."""
        if named != self.issuer.name and (named is not None or (await self.issuer.provider()).signs_answers):
            raise TokenRefused(Flaw.ISSUER)

    async def vouched(self, code: str, bonds: Bonds) -> Vouched:
        """Whose code it is. It is spent by this, whatever comes of it."""
        given = await self._exchange.tokens(await self.issuer.provider(), code, bonds.verifier)
        token = given.get("id_token")
        if not isinstance(token, str):
            raise TokenRefused(Flaw.MALFORMED)
        claims = await self._believed(token, bonds)
        if self._lacks(claims.said):
            claims = await self._told_further(claims, given.get("access_token"))
        return Vouched(claims, token)

    async def _believed(self, token: str, bonds: Bonds) -> Claims:
        claims = await self._verifier.claims(token)
        nonce, party = claims.said.get("nonce"), claims.said.get("azp", self._client_id)
        if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), bonds.nonce.encode()):
            raise TokenRefused(Flaw.NONCE)
        if party != self._client_id:
            raise TokenRefused(Flaw.AUDIENCE)
        return claims

    async def _told_further(self, claims: Claims, token: Any) -> Claims:
        """With what the issuer tells at its `userinfo_endpoint`: there, by OpenID Connect Core 5.4, it tells most, and some
        write it into the token only when they are told to."""
        people = (await self.issuer.provider()).people
        if people is None or not isinstance(token, str) or not _ACCESS_TOKEN.fullmatch(token):
            return claims
        bearer = {"authorization": Passing(f"Bearer {token}")}
        try:
            told = await self._http.get(people, headers=bearer, accept=("application/json",), limits=LIMITS)
        except (HttpForbidden, HttpRefused) as error:
            raise not_answered(error) from None
        return told_further(claims, object_in(told))
