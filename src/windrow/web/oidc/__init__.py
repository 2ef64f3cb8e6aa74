"""An OpenID Connect issuer: what it says of itself, the keys it publishes, what a token must be to be believed, who that
makes its holder to us, and how somebody logs in there."""

from windrow.web.oidc.callers import Callers
from windrow.web.oidc.claims import Claims
from windrow.web.oidc.code_flow import Bonds, CodeFlow, Vouched
from windrow.web.oidc.exchange import CodeSpent
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.oidc.freshness import Freshness
from windrow.web.oidc.identity import Identity, Reading, identified
from windrow.web.oidc.issuer import Issuer
from windrow.web.oidc.keys import KeySet
from windrow.web.oidc.verifier import Keys, Verifier

__all__ = [
    "Bonds",
    "Callers",
    "Claims",
    "CodeFlow",
    "CodeSpent",
    "Flaw",
    "Freshness",
    "Identity",
    "Issuer",
    "KeySet",
    "Keys",
    "Reading",
    "TokenRefused",
    "Verifier",
    "Vouched",
    "identified",
]
