"""A code for tokens, from server to server: how this server shows who it is, and what the issuer's refusals mean."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.http import HttpClient, HttpFailure, HttpForbidden, HttpRefused, Limits, Response, Secret
from windrow.web.oidc import strict
from windrow.web.oidc.discovery import Provider
from windrow.web.oidc.flaws import Flaw, TokenRefused

LARGEST_ANSWER = 64 * 1024
LIMITS = Limits(wire_bytes=LARGEST_ANSWER, body_bytes=LARGEST_ANSWER)
_CODE = re.compile(r"[\x21-\x7e]{1,4096}", re.ASCII)
# RFC 6749, 5.2: but for the one that is about the code, they are about this server
_ERRORS = frozenset(
    {"invalid_client", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type"}
)


@dataclass(frozen=True, slots=True, repr=False)
class Passing:
    """Secret for the length of one call. A `vault.Secret` is remembered for good, and strangers could send us thousands."""

    text: str

    def reveal(self) -> str:
        return self.text


class CodeSpent(ValidationFailure):
    """The issuer does not take the code: it was used, or nobody came with it in time."""


class Exchange:
    """The token endpoint, as one client of the issuer asks it."""

    def __init__(
        self, http: HttpClient, client_id: str, redirect_uri: str, secret: Callable[[], Awaitable[Secret]] | None
    ) -> None:
        self._http, self._client_id, self._redirect_uri, self._secret = http, client_id, redirect_uri, secret

    async def tokens(self, provider: Provider, code: str, verifier: str) -> Mapping[str, Any]:
        """What the issuer gives for the code."""
        if not _CODE.fullmatch(code):
            raise ValidationFailure("this is no code", code=Code.REFUSED)
        headers, proof = await self._proof(provider)
        form: dict[str, str | Secret] = {
            "grant_type": "authorization_code",
            "code": Passing(code),
            "redirect_uri": self._redirect_uri,
            "code_verifier": Passing(verifier),
            **proof,
        }
        try:
            answer = await self._http.post(
                provider.token,
                form=form,
                headers=headers,
                accept=("application/json",),
                accept_status=(400,),
                limits=LIMITS,
            )
        except HttpForbidden as error:
            raise _unfit(error.message) from error
        except HttpRefused as error:
            raise not_answered(error) from None
        said = object_in(answer)
        if answer.status == 400:
            raise _not_taken(said.get("error"))
        return said

    async def _proof(self, provider: Provider) -> tuple[dict[str, str | Secret], dict[str, str | Secret]]:
        """Who we are, as headers and as fields: by Basic where the issuer takes it (RFC 6749, 2.3.1), by a field, or, without
        a secret, by our id alone."""
        if self._secret is None:
            return {}, {"client_id": self._client_id}
        secret = await self._secret()
        if "client_secret_basic" in provider.proofs:
            pair = f"{quote_plus(self._client_id)}:{quote_plus(secret.reveal())}"
            return {"authorization": Passing(f"Basic {base64.b64encode(pair.encode()).decode()}")}, {}
        if "client_secret_post" in provider.proofs:
            return {}, {"client_id": self._client_id, "client_secret": secret}
        raise Fatal(
            "the issuer takes a client's secret in no way that we know",
            code=Code.CONFIGURATION,
            hint="allow client_secret_basic or client_secret_post there, or make the client a public one",
        )


def object_in(answer: Response) -> Mapping[str, Any]:
    """The JSON object that was answered."""
    try:
        return strict.object_of(answer.body)
    except ValueError:
        raise TokenRefused(Flaw.MALFORMED) from None


def not_answered(error: HttpFailure) -> ValidationFailure:
    """Without what the answer begins with: it may be a token, of a kind that was not asked for."""
    return ValidationFailure(f"{error.url} answered {error.status}, and not what was asked for", code=error.code)


def _not_taken(error: Any) -> WindrowError:
    """What a 400 means. What else the issuer says of it may repeat the code, so it goes no further."""
    if error == "invalid_grant":
        return CodeSpent("the issuer does not take the code", code=Code.REFUSED, hint="log in once more")
    known = isinstance(error, str) and error in _ERRORS
    return _unfit(error if known else "it answered 400, and no reason that we know")


def _unfit(why: str) -> Fatal:
    return Fatal(
        f"the issuer does not accept this server: {why}",
        code=Code.UNAUTHORIZED,
        hint="compare WINDROW_OIDC_CLIENT_ID and what WINDROW_OIDC_CLIENT_SECRET_REF leads to with the issuer",
    )
