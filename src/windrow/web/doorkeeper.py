"""Who is let in to which handler. Every address but the probes and the signed URLs is behind it."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from windrow.contracts.scope import Actor
from windrow.postgres import Database, audit
from windrow.telemetry import bound
from windrow.web.edge import PRINCIPAL
from windrow.web.principal import Authenticator, Principal, Role, bearer_token, not_allowed, unknown_caller

Handler = Callable[[Request, Principal], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]

# of an address, what the trail keeps
LONGEST_PATH = 300


class Doorkeeper:
    """Lets callers through to handlers, and writes down whom it turned away where it is known whose matter that is."""

    def __init__(self, authenticator: Authenticator, database: Database) -> None:
        self._authenticator, self._database = authenticator, database

    def admits(self, role: Role, handler: Handler) -> Endpoint:
        """The handler, for callers who have the role."""

        async def endpoint(request: Request) -> Response:
            principal = await self._authenticator.principal_of(bearer_token(request))
            if principal is None:
                raise unknown_caller("the token is not known")
            request.scope[PRINCIPAL] = principal
            with bound(tenant_id=principal.scope.tenant_id, project_id=principal.scope.project_id):
                if not principal.may(role):
                    await self.note_refusal(principal.scope.tenant_id, principal.actor, request, f"is no {role}")
                    raise not_allowed(principal, role)
                return await handler(request, principal)

        return endpoint

    async def note_refusal(self, tenant_id: str, actor: Actor, request: Request, reason: str) -> None:
        """Into the trail of the tenant whose matter it is. Only where that is proven: else strangers would fill it."""
        # the address is the caller's: whatever stands in it, the line is written
        said = request.url.path.encode("utf-8", "replace").decode().replace("\0", "\ufffd")[:LONGEST_PATH]
        async with self._database.tenant(tenant_id) as tx:
            await audit.record(tx, actor, "access.refuse", f"{request.method} {said}", reason=reason)
