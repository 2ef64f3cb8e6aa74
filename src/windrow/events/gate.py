"""Who may push: whoever the issuer vouches for, where an audience is set; without one, everybody on this machine."""

from starlette.requests import Request

from windrow.contracts.errors import Code
from windrow.web.oidc import Verifier
from windrow.web.principal import Authenticator, bearer_token
from windrow.web.problem import Refusal


class Gate:
    """Lets pushes in. The token of this machine is as good as one of the issuer's: its announcer has no other."""

    def __init__(self, verifier: Verifier | None, machine: Authenticator) -> None:
        self._verifier, self._machine = verifier, machine

    async def check(self, request: Request) -> None:
        """Refuse the request (401, 403) unless its token is good; 503 as long as nobody could tell."""
        if self._verifier is None:
            _check_no_page(request)
            return
        try:
            token = bearer_token(request)
        except Refusal as refusal:
            hint = "have the subscription or trigger push with an OIDC token: docs/how-to/media-on-google-cloud.md"
            raise Refusal(
                refusal.status, refusal.message, code=Code.UNAUTHORIZED, hint=hint, headers=refusal.headers
            ) from None
        if await self._machine.principal_of(token) is None:
            await self._verifier.claims(token)


def _check_no_page(request: Request) -> None:
    """Whoever runs on this machine may push without a token; a web page that somebody looks at there may not."""
    site = request.headers.get("sec-fetch-site", "none")
    if "origin" in request.headers or site not in ("none", "same-origin"):
        raise Refusal(
            403,
            "a web page cannot push events",
            code=Code.FORBIDDEN,
            hint="send them from a program, or set PUBSUB_VERIFICATION_AUDIENCE and show a token",
        )
