"""Why a token is not believed. The words name the rule that was broken, and never what the token says."""

from enum import StrEnum

from windrow.contracts.errors import Code
from windrow.web.problem import Refusal


class Flaw(StrEnum):
    """The rule that a token breaks; also the label by which refusals are counted."""

    MALFORMED = "malformed"
    SIZE = "size"
    ALGORITHM = "algorithm"
    HEADER = "header"
    UNNAMED_KEY = "unnamed_key"
    UNKNOWN_KEY = "unknown_key"
    SIGNATURE = "signature"
    ISSUER = "issuer"
    AUDIENCE = "audience"
    EXPIRED = "expired"
    EARLY = "early"
    OLD = "old"
    EMAIL = "email"
    SCOPE = "scope"
    NONCE = "nonce"
    PERSON = "person"


_FRESH = "send a token that the issuer has made just now; if it has, compare the clocks of both machines"
_WORDS = {
    Flaw.MALFORMED: ("the token is not a well-formed signed JWT", "send the token as the issuer has made it"),
    Flaw.SIZE: ("the token is larger than 8 KiB", "have the issuer write less into it: not every group, for one"),
    Flaw.ALGORITHM: (
        "the token is not signed in a way that is taken here, or not as its key is for",
        "have the issuer sign with RS256, PS256, ES256 or EdDSA (Ed25519), as it says of itself that it does",
    ),
    Flaw.HEADER: (
        "the token is of another type, or demands extensions",
        "send an ID token or, to the API, an access token: `typ` JWT or at+jwt, and no `crit`",
    ),
    Flaw.UNNAMED_KEY: ("the token does not name the key it is signed with", "have the issuer set `kid`"),
    Flaw.UNKNOWN_KEY: (
        "the token is signed with a key that the issuer does not publish",
        "check that the token is of the issuer that this server trusts",
    ),
    Flaw.SIGNATURE: ("the token's signature is wrong", "send the token as the issuer has made it"),
    Flaw.ISSUER: ("the token is of another issuer", "compare its `iss` with the issuer that this server trusts"),
    Flaw.AUDIENCE: ("the token is made out to another audience", "compare its `aud` with the audience set here"),
    Flaw.EXPIRED: ("the token has expired", _FRESH),
    Flaw.EARLY: ("the token is not valid yet", _FRESH),
    Flaw.OLD: ("the token was issued too long ago", _FRESH),
    Flaw.EMAIL: (
        "the token is not of an account that may call here",
        "its `email` must be one that this server lets in, and `email_verified` true",
    ),
    Flaw.NONCE: ("the token was made for another login", "log in once more, from the beginning"),
    Flaw.PERSON: (
        "the issuer tells of another person than the token is of",
        "log in once more; if it stays so, whoever runs the issuer has to mend its `userinfo_endpoint`",
    ),
    Flaw.SCOPE: (
        "the token does not say for which tenant and project it is",
        "have the issuer add both, under the names that this server reads: docs/how-to/log-in.md",
    ),
}


class TokenRefused(Refusal):
    """A token that is not believed (401), or that is genuine and of somebody who may not call (403)."""

    def __init__(self, flaw: Flaw) -> None:
        message, hint = _WORDS[flaw]
        if flaw is Flaw.EMAIL:
            super().__init__(403, message, code=Code.FORBIDDEN, hint=hint)
        else:
            challenge = {"www-authenticate": 'Bearer realm="windrow", error="invalid_token"'}
            super().__init__(401, message, code=Code.UNAUTHORIZED, hint=hint, headers=challenge)
        self.flaw = flaw
