"""What a token may be signed with. The list is ours: what an issuer says of itself and of its keys can only shorten it."""

from collections.abc import Mapping

from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

# by the kind of key, and its curve; nothing shared, nothing that other curves or weaker digests would do
BY_KIND: Mapping[tuple[str, str | None], frozenset[str]] = {
    ("RSA", None): frozenset({"RS256", "PS256"}),
    ("EC", "P-256"): frozenset({"ES256"}),
    # two names of one algorithm: RFC 8037's, under which there is a second curve too, and RFC 9864's
    ("OKP", "Ed25519"): frozenset({"EdDSA", "Ed25519"}),
}
ALGORITHMS = frozenset[str]().union(*BY_KIND.values())
# what an issuer signs with that does not say (OpenID Connect Core, section 3.1.3.7)
USUAL = frozenset({"RS256"})

PublicKey = RSAKey | ECKey | OKPKey
# one key of an issuer: the algorithms that it may be used with, each with what checks it
Ways = Mapping[str, PublicKey]


def signatures() -> jws.JWSRegistry:
    """joserfc's, of our algorithms alone. Under EdDSA it would take the other curve as well."""
    registry = jws.JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    known = jws.JWSRegistry.algorithms
    registry.algorithms = {name: known["Ed25519" if name == "EdDSA" else name] for name in ALGORITHMS}
    return registry
