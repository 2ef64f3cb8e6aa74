"""Every operation of the API."""

from starlette.types import ASGIApp, Receive, Scope, Send

from windrow.blobs import Blobs
from windrow.console.api import (
    blobs as content,
)
from windrow.console.api import (
    catalog,
    cursors,
    dead_letters,
    document,
    endpoints,
    jobs,
    kv,
    media,
    notices,
    outbox,
    previews,
    quarantine,
    quarantine_groups,
    runs,
    schedules,
    topics,
    trail,
)
from windrow.console.api.behind import BEHIND, Api, Behind
from windrow.console.api.operation import Operation
from windrow.console.api.paging import PageTokens
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.pace import Pace, Paced
from windrow.web.principal import Authenticator

_RESOURCES = (
    document,
    endpoints,
    runs,
    schedules,
    cursors,
    previews,
    catalog,
    quarantine_groups,
    quarantine,
    outbox,
    jobs,
    media,
    topics,
    dead_letters,
    kv,
    trail,
    notices,
    content,
)

OPERATIONS: tuple[Operation, ...] = tuple(
    route for each in _RESOURCES for route in each.router.routes if isinstance(route, Operation)
)


def behind(api: Api, blobs: Blobs, authenticator: Authenticator, limits: ServerLimits) -> Behind:
    """What the operations of one application stand on."""
    return Behind(
        blobs=blobs,
        door=Doorkeeper(Paced(authenticator, Pace(api.pace)), blobs.database),
        limits=limits,
        tokens=PageTokens(api.keys),
        ports=api.ports,
    )


def standing_on(ground: Behind, routes: ASGIApp) -> ASGIApp:
    """The routes, in whose requests the operations find what they stand on."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[BEHIND] = ground  # in place: the edge reads from the same scope which route it was
        await routes(scope, receive, send)

    return app
