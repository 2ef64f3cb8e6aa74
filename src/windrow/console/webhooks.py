"""`/v1/webhooks/{tenant}/{project}/{endpoint}`: where a source tells that something of it has changed (HV-80).

No token: what proves the caller is the signature of the delivery, by the secret that the endpoint names. Nothing is looked
up here. A delivery is kept, in one transaction and once, and answered; whoever looks it up is woken.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from windrow import endpoints
from windrow.connectors import registry
from windrow.connectors.configuration import configured
from windrow.connectors.tidings import LONGEST_DELIVERY_ID, Delivery, Heard, Hearing
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope, checked_name
from windrow.endpoints import Endpoint
from windrow.harvest import tidings
from windrow.harvest.tidings import Waiting
from windrow.postgres import Database
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import tidings as told
from windrow.vault import Secret
from windrow.web.bodies import as_json, read_body
from windrow.web.limits import ServerLimits
from windrow.web.problem import Refusal

# what GitHub sends at the most
LARGEST = 25 * 1024 * 1024

Resolve = Callable[[str, str], Awaitable[Secret]]


class WebhookAddresses:
    """The handler. `resolve` gives the secret of a reference for a tenant, if that may have it."""

    def __init__(self, database: Database, resolve: Resolve, limits: ServerLimits) -> None:
        self._database, self._resolve, self._limits = database, resolve, limits

    def routes(self) -> list[Route]:
        return [Route("/v1/webhooks/{tenant}/{project}/{endpoint}", self.hear, methods=["POST"])]

    async def hear(self, request: Request) -> Response:
        body = await read_body(
            request, most=LARGEST, idle_seconds=self._limits.idle_seconds, seconds=self._limits.json_seconds
        )
        about = _addressed(request)
        with bound(tenant_id=about.scope.tenant_id, project_id=about.scope.project_id):
            endpoint = await self._endpoint(about)
            heard = await self._heard(endpoint, Delivery(dict(request.headers), body))
            return await self._note(endpoint, about, heard)

    async def _endpoint(self, about: Waiting) -> Endpoint:
        async with self._database.tenant(about.scope.tenant_id) as tx:
            found = await endpoints.find(tx, about.scope, about.endpoint_id)
        if found is None or not found.config.get("webhook_secret_ref"):
            raise _stranger()
        return found

    async def _heard(self, endpoint: Endpoint, delivery: Delivery) -> Heard:
        kind = registry.find(endpoint.connector)
        if not issubclass(kind, Hearing):
            raise _stranger()
        secret = await self._resolve(endpoint.config["webhook_secret_ref"], endpoint.scope.tenant_id)
        heard = kind.heard(configured(kind, endpoint.config), delivery, secret)
        if heard is None:
            told.HEARD.add(1, directive=endpoint.connector, outcome="refused")
            emit("tiding.refused", endpoint_id=endpoint.endpoint_id, reason="signature")
            raise _stranger()
        if not 0 < len(heard.delivery_id) <= LONGEST_DELIVERY_ID:
            raise ValidationFailure("the delivery has no usable id", code=Code.INVALID_VALUE)
        return heard

    async def _note(self, endpoint: Endpoint, about: Waiting, heard: Heard) -> Response:
        if not heard.references:
            told.HEARD.add(1, directive=endpoint.connector, outcome="nothing to look up")
            return as_json({"delivery": heard.delivery_id, "references": 0})
        async with self._database.tenant(about.scope.tenant_id) as tx:
            new = await tidings.note(tx, about, heard)
        told.HEARD.add(1, directive=endpoint.connector, outcome="kept" if new else "known")
        if new:
            emit(
                "tiding.heard",
                endpoint_id=about.endpoint_id,
                delivery_id=heard.delivery_id,
                references=len(heard.references),
            )
        answer = {"delivery": heard.delivery_id, "references": len(heard.references), "known": not new}
        return as_json(answer, 202 if new else 200)


def _addressed(request: Request) -> Waiting:
    parts = request.path_params
    try:
        return Waiting(Scope(parts["tenant"], parts["project"]), checked_name("endpoint", parts["endpoint"]))
    except ValidationFailure:
        raise _stranger() from None


def _stranger() -> Refusal:
    """The same for whatever is not there and whatever is not proven: nobody finds out which endpoints there are."""
    return Refusal(
        401,
        "there is no such webhook, or the delivery is not signed with its secret",
        code=Code.UNAUTHORIZED,
        hint="compare the secret at the source with what the endpoint's webhook_secret_ref names",
    )
