"""The whole HTTP application: every address, and what each passes."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Route, Router
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
    from windrow.console.api.behind import Api
    from windrow.console.pages.site import Site


def application(
    blobs: Blobs,
    authenticator: Authenticator,
    *,
    hosts: Collection[str],
    signer: UrlSigner | None = None,
    api: "Api | None" = None,
    site: "Site | None" = None,
    resolve: Resolve | None = None,
    limits: ServerLimits | None = None,
) -> ASGIApp:
    """The application. With a `signer`, it also serves the objects that the URLs it signs lead to; with `api`, the JSON API;
    with `site`, the pages for people; with `resolve`, which gives secrets, it takes what sources tell."""
    bounds = limits or ServerLimits()
    door = Doorkeeper(authenticator, blobs.database)
    routes: list[BaseRoute] = [
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready(blobs.database, seconds=bounds.ready_seconds), methods=["GET"]),
        *BlobAddresses(blobs, bounds).routes(door),
    ]
    if resolve is not None:
        routes += WebhookAddresses(blobs.database, resolve, bounds).routes()
    if signer is not None:
        routes += ObjectAddresses(blobs, signer, door, bounds).routes()
    face = None
    if site is not None:
        routes, face = [*routes, *site.routes(door, bounds)], site.fault
    if api is None:
        return Edge(Router(routes, redirect_slashes=False), hosts, face=face)
    from windrow.console.api.operations import OPERATIONS, behind, standing_on  # FastAPI takes a while to load

    ground = behind(api, blobs, authenticator, bounds)
    return Edge(standing_on(ground, Router([*routes, *OPERATIONS], redirect_slashes=False)), hosts, face=face)
