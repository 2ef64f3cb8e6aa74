"""A key set document (RFC 7517) read: which keys an issuer signs with. Nothing that is published there is trusted to be sane."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from joserfc.jwk import RSAKey

from windrow.contracts.errors import Code, ValidationFailure
from windrow.web.oidc import strict
from windrow.web.oidc.header import ALGORITHM, LONGEST_KEY_NAME

MOST_KEYS = 100
# weaker ones can be broken, larger ones make every check slow
SMALLEST_BITS, LARGEST_BITS = 2048, 4096
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"})


def keys_of(document: bytes) -> dict[str, RSAKey]:
    """The keys by name. Those for other ends are passed over; a document that no sane issuer publishes is refused whole."""
    try:
        listed = strict.object_of(document).get("keys")
    except ValueError as error:
        raise _refused(f"it is no JSON that can be read in one way only ({error})") from None
    if not isinstance(listed, list) or len(listed) > MOST_KEYS or not all(isinstance(one, dict) for one in listed):
        raise _refused(f"`keys` is no list of at most {MOST_KEYS} keys")
    found: dict[str, RSAKey] = {}
    for one in listed:
        _check_public(one)
        if _is_for_tokens(one):
            if one["kid"] in found:
                raise _refused("two keys have one name")
            found[one["kid"]] = _rsa(one)
    return found


def _check_public(jwk: dict[str, Any]) -> None:
    """A secret that everybody can read is nobody's signature, whatever it says it is for."""
    if jwk.get("kty") == "oct" or not _PRIVATE.isdisjoint(jwk):
        raise _refused("it publishes a secret key")


def _is_for_tokens(jwk: dict[str, Any]) -> bool:
    """Whether tokens may be signed with it, by all it says of itself. Without a name none can refer to it."""
    name, ends = jwk.get("kid"), jwk.get("key_ops", ["verify"])
    return (
        jwk.get("kty") == "RSA"
        and jwk.get("use", "sig") == "sig"
        and jwk.get("alg", ALGORITHM) == ALGORITHM
        and isinstance(ends, list)
        and "verify" in ends
        and isinstance(name, str)
        and 0 < len(name) <= LONGEST_KEY_NAME
    )


def _rsa(jwk: dict[str, Any]) -> RSAKey:
    modulus, exponent = _number(jwk.get("n")), _number(jwk.get("e"))
    if not SMALLEST_BITS <= modulus.bit_length() <= LARGEST_BITS:
        raise _refused(f"an RSA key has not {SMALLEST_BITS} to {LARGEST_BITS} bits")
    try:
        return RSAKey.import_key(RSAPublicNumbers(exponent, modulus).public_key())
    except ValueError:
        raise _refused("an RSA key is none") from None


def _number(text: Any) -> int:
    try:
        return int.from_bytes(strict.bytes_of(text)) if isinstance(text, str) else 0
    except ValueError:
        return 0


def _refused(why: str) -> ValidationFailure:
    return ValidationFailure(
        f"the issuer's key set is refused: {why}",
        code=Code.INVALID_VALUE,
        hint="check that the address is that of the issuer's JSON Web Key Set",
    )
