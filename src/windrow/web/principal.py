"""Who calls, and what they may do."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from starlette.requests import Request

from windrow.contracts.errors import Code
from windrow.contracts.scope import Actor, Scope
from windrow.web.problem import Refusal


class Role(StrEnum):
    """What a caller may do; each may do what those before it may."""

    READER = "reader"
    WRITER = "writer"
    ADMIN = "admin"


_ORDER = list(Role)


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller who was let in: for which tenant and project, with which roles, under which name."""

    scope: Scope
    roles: Collection[Role]
    subject: str
    authority: str

    @property
    def actor(self) -> Actor:
        return Actor(self.subject, self.authority)

    def may(self, role: Role) -> bool:
        return any(_ORDER.index(held) >= _ORDER.index(role) for held in self.roles)


class Authenticator(Protocol):
    """Knows whose token it is; None: nobody's."""

    async def principal_of(self, token: str) -> Principal | None: ...


class InTurn:
    """Several who know callers, asked one after the other."""

    def __init__(self, authenticators: Sequence[Authenticator]) -> None:
        self._authenticators = authenticators

    async def principal_of(self, token: str) -> Principal | None:
        for authenticator in self._authenticators:
            if principal := await authenticator.principal_of(token):
                return principal
        return None


def highest(roles: Collection[Role]) -> Role | None:
    """The one that may do what all the others may."""
    return max(roles, key=_ORDER.index, default=None)


def bearer_token(request: Request) -> str:
    """The token of the request, or the refusal that says how to bring one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unknown_caller("this address needs a bearer token")
    return token.strip()


def unknown_caller(message: str) -> Refusal:
    return Refusal(
        401,
        message,
        code=Code.UNAUTHORIZED,
        hint="send `Authorization: Bearer TOKEN`; on this machine the token is in WINDROW_HOME/token",
        headers={"www-authenticate": 'Bearer realm="windrow"'},
    )


def not_allowed(principal: Principal, role: Role) -> Refusal:
    return Refusal(403, f"{principal.subject} is no {role}", code=Code.FORBIDDEN, hint=f"ask for the role {role}")
