"""`/v1/blobs`: request an upload, complete it, look at it, download it."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from windrow.blobs import Blob, Blobs, Ticket, Wanted
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import Identity
from windrow.contracts.item import ExternalId
from windrow.contracts.scope import Scope, checked_name
from windrow.messages import publish, stable_id
from windrow.postgres import Transaction
from windrow.web.bodies import as_json, read_json
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.principal import Principal, Role

TOPIC = "catalog.blobs"
MOST_LISTED = 500


class ItemOfEndpoint(Struct, frozen=True, forbid_unknown_fields=True):
    """An item as its source names it."""

    endpoint: str
    external_id: ExternalId


class BlobRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a client says who wants to upload."""

    item: UUID | ItemOfEndpoint
    media_type: str
    size: Annotated[int, Meta(ge=0)] | None = None
    sha256: str | None = None
    name: str | None = None


async def announce(tx: Transaction, blob: Blob) -> None:
    """Say that a blob was linked: ordered with all else about its item, and once, however often it is said."""
    said = {name: value for name, value in document(blob).items() if value is not None}
    message_id = stable_id("blob.linked", blob.tenant_id, str(blob.blob_id))
    await publish(tx, TOPIC, msgspec.to_builtins(said), key=str(blob.item_id), message_id=message_id)


def document(blob: Blob) -> dict[str, Any]:
    """A blob as clients see it: without whose it is, which they know, and where it lies, which is ours."""
    hidden = ("tenant_id", "key")
    return {name: value for name, value in asdict(blob).items() if name not in hidden}


class BlobAddresses:
    """The handlers, over the flow."""

    def __init__(self, blobs: Blobs, limits: ServerLimits) -> None:
        self._blobs, self._limits = blobs, limits

    def routes(self, door: Doorkeeper) -> list[Route]:
        one = "/v1/blobs/{blob_id:uuid}"
        return [
            Route("/v1/blobs", door.admits(Role.WRITER, self.request), methods=["POST"]),
            Route("/v1/blobs", door.admits(Role.READER, self.recent), methods=["GET"]),
            Route(one, door.admits(Role.READER, self.show), methods=["GET"]),
            Route(f"{one}/complete", door.admits(Role.WRITER, self.complete), methods=["POST"]),
            Route(f"{one}/download", door.admits(Role.READER, self.download), methods=["POST"]),
            Route("/v1/items/{item_id:uuid}/blobs", door.admits(Role.READER, self.of_item), methods=["GET"]),
        ]

    async def request(self, request: Request, principal: Principal) -> Response:
        said = await read_json(
            request,
            BlobRequest,
            most=self._limits.json_bytes,
            idle_seconds=self._limits.idle_seconds,
            seconds=self._limits.json_seconds,
        )
        wanted = Wanted(
            scope=principal.scope,
            item_id=_item_id(principal.scope, said.item),
            media_type=said.media_type,
            size=said.size,
            sha256=said.sha256,
            name=said.name,
        )
        ticket = await self._blobs.request(wanted, principal.actor)
        here = f"/v1/blobs/{ticket.blob.blob_id}"
        told = document(ticket.blob) | {"upload": _signed(ticket, "PUT"), "complete": f"{here}/complete"}
        return as_json(told, 201, {"location": here})

    async def complete(self, request: Request, principal: Principal) -> Response:
        return as_json(document(await self._blobs.complete(principal.scope, _blob_id(request), principal.actor)))

    async def show(self, request: Request, principal: Principal) -> Response:
        scope = principal.scope
        return as_json(document(await self._blobs.find(scope.tenant_id, _blob_id(request), scope.project_id)))

    async def download(self, request: Request, principal: Principal) -> Response:
        ticket = await self._blobs.download(principal.scope, _blob_id(request))
        return as_json(document(ticket.blob) | {"download": _signed(ticket, "GET")})

    async def of_item(self, request: Request, principal: Principal) -> Response:
        found = await self._blobs.of_item(principal.scope, request.path_params["item_id"])
        return as_json({"blobs": [document(blob) for blob in found]})

    async def recent(self, request: Request, principal: Principal) -> Response:
        limit = _whole_number(request.query_params.get("limit", "50"))
        before = request.query_params.get("before")
        found = await self._blobs.recent(principal.scope, before=_uuid(before) if before else None, limit=limit)
        return as_json({"blobs": [document(blob) for blob in found]})


def _item_id(scope: Scope, item: UUID | ItemOfEndpoint) -> UUID:
    if isinstance(item, UUID):
        return item
    return UUID(Identity(scope, checked_name("endpoint", item.endpoint)).item_id(item.external_id))


def _signed(ticket: Ticket, method: str) -> dict[str, Any]:
    headers = {"content-type": ticket.blob.media_type} if method == "PUT" else {}
    return {"method": method, "url": ticket.url, "headers": headers, "expires_at": ticket.expires_at}


def _blob_id(request: Request) -> UUID:
    blob_id: UUID = request.path_params["blob_id"]
    return blob_id


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MOST_LISTED):
        raise ValidationFailure(f"limit {text[:20]!r} is not 1 to {MOST_LISTED}", code=Code.INVALID)
    return int(text)


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailure(f"{text[:40]!r} is no id", code=Code.INVALID, hint="give a blob_id") from None
