"""Callers of the API whom an issuer vouches for."""

from windrow.contracts.errors import Code, RetryableTransient
from windrow.web.oidc.identity import Reading, identified
from windrow.web.oidc.verifier import Verifier, is_jwt
from windrow.web.principal import Principal
from windrow.web.problem import Away


class Callers:
    """Knows whoever has a token of the issuer. What is no such token at all may be somebody else's."""

    def __init__(self, verifier: Verifier, reading: Reading, authority: str) -> None:
        self._verifier, self._reading, self._authority = verifier, reading, authority

    async def principal_of(self, token: str) -> Principal | None:
        """Who it is. A token that is not believed is refused with the rule that it breaks (401); while nobody could tell,
        the caller is asked to come again (503)."""
        if not is_jwt(token):
            return None
        try:
            claims = await self._verifier.claims(token)
        except RetryableTransient as error:
            raise Away(
                "the issuer of this token does not answer, so nobody can tell whether it is good",
                code=Code.UNAVAILABLE,
                hint="try again in a minute; `windrow doctor` tells the operator what is wrong",
            ) from error
        person = identified(claims, self._reading)
        return Principal(person.scope, person.roles, person.subject, self._authority)
