"""The metadata worker's HTTP application: every address, and what each passes."""

from collections.abc import Collection

from starlette.routing import Route, Router
from starlette.types import ASGIApp

from windrow.events.handshake import handshake
from windrow.events.jobs import JobAddresses
from windrow.events.receiver import Receiver
from windrow.postgres import Database
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.edge import Edge
from windrow.web.health import health, ready
from windrow.web.limits import ServerLimits
from windrow.web.principal import Authenticator

AGENT = "metadata-worker"


def application(
    database: Database,
    receiver: Receiver,
    jobs: JobAddresses,
    machine: Authenticator,
    *,
    hosts: Collection[str] | None,
    limits: ServerLimits,
) -> ASGIApp:
    """The application. `machine` knows who may submit and look at jobs, `hosts` by which names it may be called."""
    door = Doorkeeper(machine, database)
    routes = [
        Route("/", receiver.receive, methods=["POST"]),
        Route("/", handshake, methods=["OPTIONS"]),
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready(database, seconds=limits.ready_seconds), methods=["GET"]),
        *jobs.routes(door),
    ]
    return Edge(Router(routes, redirect_slashes=False), hosts, agent=AGENT)
