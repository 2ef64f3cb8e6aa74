"""What a token's header must say before anybody looks for a key."""

from collections.abc import Collection
from typing import Any

from windrow.web.oidc import strict
from windrow.web.oidc.algorithms import ALGORITHMS
from windrow.web.oidc.flaws import Flaw, TokenRefused

LONGEST_KEY_NAME = 256
# another type (`logout+jwt`, `secevent+jwt`) is a token for another purpose; issuers may leave the type out
ID_TOKENS = frozenset({"jwt"})
# RFC 9068: access tokens may say that they are such
ACCESS_TOKENS = ID_TOKENS | {"at+jwt", "application/at+jwt"}


def signed_by(segment: str, kinds: Collection[str] = ID_TOKENS) -> tuple[str, str]:
    """The name of the key that the token says it is signed with, and how.

    How is one of our list: a token that could name another would be checked with `none`, or with a public key for a
    shared secret. Keys that a header brings or points to (`jwk`, `jku`, `x5u`) are never looked at.
    """
    try:
        header = strict.object_of(strict.bytes_of(segment))
    except ValueError:
        raise TokenRefused(Flaw.MALFORMED) from None
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise TokenRefused(Flaw.ALGORITHM)
    # other parameters that we do not know are ignored, as RFC 7515 has it; `crit` lists those that must not be
    if "crit" in header or "b64" in header or not _is_of(kinds, header):
        raise TokenRefused(Flaw.HEADER)
    name = header.get("kid")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_KEY_NAME:
        raise TokenRefused(Flaw.UNNAMED_KEY)
    return name, algorithm


def _is_of(kinds: Collection[str], header: dict[str, Any]) -> bool:
    kind = header.get("typ", "JWT")
    return isinstance(kind, str) and kind.lower() in kinds
