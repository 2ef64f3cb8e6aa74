"""Who may call which operation: said in its signature, once, and enforced before anything of the request is read.

    async def remove(caller: Writer, …)

`operation.py` refuses to make an operation that does not say it.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from windrow.web.edge import PRINCIPAL
from windrow.web.principal import Principal, Role


@dataclass(frozen=True, slots=True)
class Permission:
    """The role that an operation asks for; as a dependency, the caller who was let in."""

    role: Role

    async def __call__(self, request: Request) -> Principal:
        principal: Principal = request.scope[PRINCIPAL]
        return principal


def may(role: Role) -> Permission:
    """For callers who have the role, or one above it."""
    return Permission(role)


Reader = Annotated[Principal, Depends(may(Role.READER))]
Writer = Annotated[Principal, Depends(may(Role.WRITER))]
Admin = Annotated[Principal, Depends(may(Role.ADMIN))]
