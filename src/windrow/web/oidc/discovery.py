"""What an issuer says of itself (OpenID Connect Discovery), read. Nothing that is said there is trusted to be sane."""

from dataclasses import dataclass
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.web.oidc import strict
from windrow.web.oidc.algorithms import ALGORITHMS, USUAL, Ways
from windrow.web.oidc.trusted import trusted_url

_PATH = "/.well-known/openid-configuration"
# what is meant where the issuer does not say (OpenID Connect Discovery, section 3)
_USUAL_PROOFS = frozenset({"client_secret_basic"})


@dataclass(frozen=True, slots=True)
class Provider:
    """Where an issuer asks people who they are, exchanges codes and publishes its keys. `proofs` are the ways in which a
    client may show its secret; `signs_answers`: what it sends back names it (RFC 9207). Some also tell who somebody is
    (`people`), and log people out (`ending`)."""

    authorization: str
    token: str
    keys: str
    proofs: frozenset[str]
    signs_answers: bool
    algorithms: frozenset[str]
    people: str | None
    ending: str | None

    def signs_with(self, ways: Ways) -> Ways:
        """What a key may be used with, of what this issuer says that it uses."""
        return {name: key for name, key in ways.items() if name in self.algorithms}


def described_at(issuer: str) -> str:
    """Where an issuer of that name describes itself."""
    return trusted_url(issuer.rstrip("/") + _PATH, "the issuer")


def provider_of(document: bytes, issuer: str) -> Provider:
    """What the document says, if it is that issuer's."""
    try:
        said = strict.object_of(document)
    except ValueError as error:
        raise _refused(f"it is no JSON that can be read in one way only ({error})") from None
    # section 4.3: by the letter, lest one issuer speaks for another
    if said.get("issuer") != issuer:
        raise _refused("it is of another issuer, or the name differs by a slash")
    return Provider(
        authorization=_address(said, "authorization_endpoint"),
        token=_address(said, "token_endpoint"),
        keys=_address(said, "jwks_uri"),
        proofs=_words(said, "token_endpoint_auth_methods_supported", _USUAL_PROOFS),
        signs_answers=said.get("authorization_response_iss_parameter_supported") is True,
        # nothing is said anywhere of what access tokens are signed with: the same
        algorithms=ALGORITHMS & _words(said, "id_token_signing_alg_values_supported", USUAL),
        people=_perhaps(said, "userinfo_endpoint"),
        ending=_perhaps(said, "end_session_endpoint"),
    )


def _words(said: dict[str, Any], name: str, usual: frozenset[str]) -> frozenset[str]:
    words = said.get(name)
    if words is None:
        return usual
    return frozenset(one for one in words if isinstance(one, str)) if isinstance(words, list) else frozenset()


def _address(said: dict[str, Any], name: str) -> str:
    url = said.get(name)
    if not isinstance(url, str):
        raise _refused(f"it names no `{name}`")
    try:
        return trusted_url(url, f"its `{name}`")
    except WindrowError as error:
        raise _refused(error.message) from None


def _perhaps(said: dict[str, Any], name: str) -> str | None:
    """An address that can be done without, and is, where it cannot be trusted."""
    try:
        return _address(said, name)
    except ValidationFailure:
        return None


def _refused(why: str) -> ValidationFailure:
    return ValidationFailure(
        f"the issuer's description of itself is refused: {why}",
        code=Code.INVALID_VALUE,
        hint="compare WINDROW_OIDC_ISSUER with the `issuer` that it says, letter by letter",
    )
