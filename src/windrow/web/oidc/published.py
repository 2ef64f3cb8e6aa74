"""A key set document (RFC 7517) read: which keys an issuer signs with. Nothing that is published there is trusted to be sane."""

from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicNumbers
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from joserfc.jwk import ECKey, OKPKey, RSAKey

from windrow.contracts.errors import Code, ValidationFailure
from windrow.web.oidc import strict
from windrow.web.oidc.algorithms import BY_KIND, PublicKey, Ways
from windrow.web.oidc.header import LONGEST_KEY_NAME

MOST_KEYS = 100
# weaker ones can be broken, larger ones make every check slow
SMALLEST_BITS, LARGEST_BITS = 2048, 4096
# of a point on either curve: a shorter one is another's
_COORDINATE = 32
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"})


def keys_of(document: bytes) -> Mapping[str, Ways]:
    """The keys by name. Those for other ends are passed over; a document that no sane issuer publishes is refused whole."""
    try:
        listed = strict.object_of(document).get("keys")
    except ValueError as error:
        raise _refused(f"it is no JSON that can be read in one way only ({error})") from None
    if not isinstance(listed, list) or len(listed) > MOST_KEYS or not all(isinstance(one, dict) for one in listed):
        raise _refused(f"`keys` is no list of at most {MOST_KEYS} keys")
    found: dict[str, dict[str, PublicKey]] = {}
    for one in listed:
        _check_public(one)
        if ways := _ways(one):
            # keys of two kinds may have one name (RFC 7517, 4.5): which is meant follows from the algorithm
            named = found.setdefault(one["kid"], {})
            if not named.keys().isdisjoint(ways):
                raise _refused("two keys have one name")
            named |= dict.fromkeys(ways, _key(one))
    return found


def _check_public(jwk: dict[str, Any]) -> None:
    """A secret that everybody can read is nobody's signature, whatever it says it is for."""
    if jwk.get("kty") == "oct" or not _PRIVATE.isdisjoint(jwk):
        raise _refused("it publishes a secret key")


def _ways(jwk: dict[str, Any]) -> frozenset[str]:
    """How tokens may be signed with it, by all it says of itself. Without a name none can refer to it."""
    name, ends, kind, curve = jwk.get("kid"), jwk.get("key_ops", ["verify"]), jwk.get("kty"), jwk.get("crv")
    if not isinstance(kind, str) or not isinstance(curve, str | None):
        return frozenset()
    ways = BY_KIND.get((kind, curve), frozenset[str]())
    is_for_tokens = (
        jwk.get("use", "sig") == "sig"
        and isinstance(ends, list)
        and "verify" in ends
        and isinstance(name, str)
        and 0 < len(name) <= LONGEST_KEY_NAME
    )
    return frozenset(one for one in ways if is_for_tokens and jwk.get("alg", one) == one)


def _key(jwk: dict[str, Any]) -> PublicKey:
    try:
        match jwk["kty"]:
            case "EC":
                return _elliptic(jwk)
            case "OKP":
                return OKPKey.import_key(Ed25519PublicKey.from_public_bytes(_bytes(jwk.get("x"))))
            case _:
                return _rsa(jwk)
    except ValueError:
        raise _refused(f"a key of the kind {jwk['kty']} is none") from None


def _rsa(jwk: dict[str, Any]) -> RSAKey:
    modulus, exponent = int.from_bytes(_bytes(jwk.get("n"))), int.from_bytes(_bytes(jwk.get("e")))
    if not SMALLEST_BITS <= modulus.bit_length() <= LARGEST_BITS:
        raise _refused(f"an RSA key has not {SMALLEST_BITS} to {LARGEST_BITS} bits")
    return RSAKey.import_key(RSAPublicNumbers(exponent, modulus).public_key())


def _elliptic(jwk: dict[str, Any]) -> ECKey:
    x, y = _bytes(jwk.get("x")), _bytes(jwk.get("y"))
    if len(x) != _COORDINATE or len(y) != _COORDINATE:
        raise ValueError("not a point of this curve")
    return ECKey.import_key(EllipticCurvePublicNumbers(int.from_bytes(x), int.from_bytes(y), SECP256R1()).public_key())


def _bytes(text: Any) -> bytes:
    """What a member of a key stands for; nothing, where it is no base64url."""
    try:
        return strict.bytes_of(text) if isinstance(text, str) else b""
    except ValueError:
        return b""


def _refused(why: str) -> ValidationFailure:
    return ValidationFailure(
        f"the issuer's key set is refused: {why}",
        code=Code.INVALID_VALUE,
        hint="check that the address is that of the issuer's JSON Web Key Set",
    )
