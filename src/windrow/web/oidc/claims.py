"""What a token's claims must say, once its signature is known to be the issuer's. Pure: the time is a value."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from windrow.contracts.errors import Fatal
from windrow.web.oidc.flaws import Flaw, TokenRefused

# OpenID Connect Core, section 2
LONGEST_SUBJECT = 255
# the year 10000: beyond it, a number is no time that anybody meant
_END_OF_TIME = 253_402_300_800


@dataclass(frozen=True, slots=True, repr=False)
class Claims:
    """What a believed token says. `email` is None unless the issuer has verified it; `said` is every claim as it came.

    Its repr shows nothing, so that a log line cannot.
    """

    issuer: str
    subject: str
    email: str | None
    issued_at: float
    expires_at: float
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Terms:
    """What is demanded of a token. Times are in seconds; without `emails`, anybody whom the issuer vouches for is let in.
    Beside our audience a token may name only those of `beside`, whom the operator trusts not to send it here."""

    issuers: frozenset[str]
    audience: str
    emails: frozenset[str] | None
    leeway: float
    longest_age: float
    beside: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        # an unset setting must not become a rule that every token keeps, or that none can
        if not self.audience or not self.issuers or "" in self.issuers:
            raise Fatal("tokens need an audience and an issuer to be checked against", hint="set both of them")
        if self.emails is not None and (not self.emails or "" in self.emails):
            raise Fatal("the list of e-mails that may call is empty", hint="name the service account that calls")


def believed(said: dict[str, Any], terms: Terms, now: float) -> Claims:
    """The claims, where they meet the terms."""
    issuer, subject = said.get("iss"), said.get("sub")
    if not isinstance(issuer, str) or issuer not in terms.issuers:
        raise TokenRefused(Flaw.ISSUER)
    if not _made_out_to(said.get("aud"), terms):
        raise TokenRefused(Flaw.AUDIENCE)
    issued_at, expires_at = _times(said, terms, now)
    if not isinstance(subject, str) or not _is_subject(subject):
        raise TokenRefused(Flaw.MALFORMED)
    email = _verified_email(said)
    if terms.emails is not None and email not in terms.emails:
        raise TokenRefused(Flaw.EMAIL)
    return Claims(issuer, subject, email, issued_at, expires_at, said)


def told_further(claims: Claims, more: Mapping[str, Any]) -> Claims:
    """With what else the issuer tells of the same person; what the token itself says stands."""
    if more.get("sub") != claims.subject:
        raise TokenRefused(Flaw.PERSON)
    # an e-mail and whether it is verified are of one piece
    email = claims.email if "email" in claims.said else _verified_email(more)
    return replace(claims, email=email, said={**more, **claims.said})


def _made_out_to(audience: Any, terms: Terms) -> bool:
    """Whether it is ours, alone or in a list with none but those that may stand beside it.

    OpenID Connect Core 3.1.3.7: a token that also names audiences we do not trust is refused; each of them holds it too,
    and could send it here.
    """
    named = audience if isinstance(audience, list) else [audience]
    known = {terms.audience, *terms.beside}
    return terms.audience in named and all(isinstance(one, str) and one in known for one in named)


def _times(said: dict[str, Any], terms: Terms, now: float) -> tuple[float, float]:
    """When it was issued and when it ends; the leeway is for clocks that differ, in both directions."""
    issued_at, expires_at = _time(said.get("iat")), _time(said.get("exp"))
    if now >= expires_at + terms.leeway:
        raise TokenRefused(Flaw.EXPIRED)
    if now < max(issued_at, _time(said.get("nbf", 0))) - terms.leeway:
        raise TokenRefused(Flaw.EARLY)
    if now > issued_at + terms.longest_age + terms.leeway:
        raise TokenRefused(Flaw.OLD)
    return issued_at, expires_at


def _time(value: Any) -> float:
    # a bool is an int to Python; infinity is no time, and neither is an integer too large for a float
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _END_OF_TIME:
        raise TokenRefused(Flaw.MALFORMED)
    return float(value)


def _is_subject(text: str) -> bool:
    return 0 < len(text) <= LONGEST_SUBJECT and text.isascii() and text.isprintable()


def _verified_email(said: Mapping[str, Any]) -> str | None:
    """The e-mail, if the issuer says by a plain `true` that it is the caller's."""
    email = said.get("email")
    return email if isinstance(email, str) and said.get("email_verified") is True else None
