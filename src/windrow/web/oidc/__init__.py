"""Bearer tokens of an OpenID Connect issuer: the keys it publishes, and what a token must be to be believed."""

from windrow.web.oidc.claims import Claims
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.oidc.freshness import Freshness
from windrow.web.oidc.keys import KeySet
from windrow.web.oidc.verifier import Keys, Verifier

__all__ = ["Claims", "Flaw", "Freshness", "KeySet", "Keys", "TokenRefused", "Verifier"]
