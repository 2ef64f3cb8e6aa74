"""Who sent this? A bearer token in, its claims out, or the refusal that says which rule it breaks."""

import re
import time
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Protocol

from joserfc import jws
from joserfc.errors import BadSignatureError, JoseError

from windrow.contracts.errors import RetryableTransient
from windrow.telemetry.catalogue import oidc as telemetry
from windrow.web.oidc import strict
from windrow.web.oidc.algorithms import PublicKey, Ways, signatures
from windrow.web.oidc.claims import Claims, Terms, believed
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.oidc.header import ID_TOKENS, signed_by

LARGEST_TOKEN = 8 * 1024
# for clocks that differ
LEEWAY = timedelta(seconds=30)
# whatever its issuer wrote into `exp`: what leaked long ago is worth nothing
LONGEST_AGE = timedelta(hours=24)

_TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
_SIGNATURES = signatures()


class Keys(Protocol):
    """The keys that an issuer signs with."""

    async def key(self, name: str) -> Ways | None:
        """The key of that name, by what it may be used with; None: the issuer has none. RetryableTransient: nobody could tell yet."""


class Verifier:
    """Believes tokens that one issuer has signed for one audience and, where `emails` are given, for one of
    those accounts. An issuer that goes by two names is given both; everything is compared exactly, letter by letter.

    Where the issuer serves the whole world, as Google does, anybody can have a token made out to any audience: there it
    is `emails` that keeps strangers out. `beside` are audiences that may stand beside ours, `kinds` the types of token
    that are taken.
    """

    def __init__(
        self,
        issuers: str | Collection[str],
        audience: str,
        keys: Keys,
        *,
        emails: str | Collection[str] | None = None,
        beside: Collection[str] = (),
        kinds: Collection[str] = ID_TOKENS,
        leeway: timedelta = LEEWAY,
        longest_age: timedelta = LONGEST_AGE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        allowed = None if emails is None else _listed(emails)
        self._terms = Terms(
            _listed(issuers),
            audience,
            allowed,
            leeway.total_seconds(),
            longest_age.total_seconds(),
            beside=frozenset(beside),
        )
        self._keys, self._kinds, self._clock = keys, kinds, clock

    async def claims(self, token: str) -> Claims:
        """What the token says, if it is to be believed.

        Raises TokenRefused (401; 403 for a genuine token of another account), and RetryableTransient (503) while the
        issuer's keys could not be read even once: then it is not known whether the token is good.
        """
        try:
            found = await self._checked(token)
        except TokenRefused as refused:
            telemetry.TOKENS.add(1, outcome=refused.flaw)
            raise
        except RetryableTransient:
            telemetry.TOKENS.add(1, outcome="undecided")
            raise
        telemetry.TOKENS.add(1, outcome="believed")
        return found

    async def _checked(self, token: str) -> Claims:
        if len(token) > LARGEST_TOKEN:
            raise TokenRefused(Flaw.SIZE)
        if not is_jwt(token):
            raise TokenRefused(Flaw.MALFORMED)
        name, algorithm = signed_by(token.partition(".")[0], self._kinds)
        ways = await self._keys.key(name)
        if ways is None:
            raise TokenRefused(Flaw.UNKNOWN_KEY)
        key = ways.get(algorithm)
        if key is None:
            raise TokenRefused(Flaw.ALGORITHM)
        try:
            said = strict.object_of(_signed(token, key))
        except ValueError:
            raise TokenRefused(Flaw.MALFORMED) from None
        return believed(said, self._terms, self._clock())


def is_jwt(token: str) -> bool:
    """Whether it has the shape of a signed token, whoever made it."""
    return _TOKEN.fullmatch(token) is not None


def _signed(token: str, key: PublicKey) -> bytes:
    """The payload, whose signature is the key's. What joserfc raises may quote the token, so it goes no further."""
    try:
        return jws.deserialize_compact(token, key, registry=_SIGNATURES).payload
    except BadSignatureError:
        raise TokenRefused(Flaw.SIGNATURE) from None
    except JoseError:
        raise TokenRefused(Flaw.MALFORMED) from None


def _listed(names: str | Collection[str]) -> frozenset[str]:
    # a single name is a collection too: of its letters
    return frozenset([names] if isinstance(names, str) else names)
