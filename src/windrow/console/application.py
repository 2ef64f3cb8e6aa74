"""The whole HTTP application: every address, and what each passes."""

from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING

from starlette.routing import Route, Router
from starlette.types import ASGIApp

from windrow.blobs import Blobs
from windrow.console.blobs import BlobAddresses
from windrow.console.objects import ObjectAddresses
from windrow.console.webhooks import Resolve, WebhookAddresses
from windrow.objects.signing import UrlSigner
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.edge import Edge
from windrow.web.health import health, ready
from windrow.web.limits import ServerLimits
from windrow.web.principal import Authenticator

if TYPE_CHECKING:
    from temporalio.client import Client


def application(
    blobs: Blobs,
    authenticator: Authenticator,
    *,
    hosts: Collection[str],
    signer: UrlSigner | None = None,
    temporal: Callable[[], Awaitable["Client"]] | None = None,
    resolve: Resolve | None = None,
    limits: ServerLimits | None = None,
) -> ASGIApp:
    """The application. With a `signer`, it also serves the objects that the URLs it signs lead to; with `temporal`, schedules;
    with `resolve`, which gives secrets, it takes what sources tell."""
    bounds = limits or ServerLimits()
    door = Doorkeeper(authenticator, blobs.database)
    routes = [
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready(blobs.database, seconds=bounds.ready_seconds), methods=["GET"]),
        *BlobAddresses(blobs, bounds).routes(door),
    ]
    if temporal is not None:
        from windrow.console.schedules import ScheduleAddresses  # Temporal's client takes a while to load

        routes += ScheduleAddresses(blobs.database, temporal, bounds).routes(door)
    if resolve is not None:
        routes += WebhookAddresses(blobs.database, resolve, bounds).routes()
    if signer is not None:
        routes += ObjectAddresses(blobs, signer, door, bounds).routes()
    return Edge(Router(routes, redirect_slashes=False), hosts)
