"""`/catalog/{item_id}/files/{blob_id}`: on to where a file of an item lies, by an address that is good for a while."""

from uuid import UUID

from starlette.responses import RedirectResponse, Response

from windrow.console.pages.desk import Desk
from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.web.problem import Refusal


class Files:
    """The way to the bytes. They come to be saved: no browser shows them as if they were ours."""

    def __init__(self, desk: Desk) -> None:
        self._blobs = desk.blobs

    async def give(self, visit: Visit) -> Response:
        ticket = await self._blobs.download(visit.principal.scope, _blob_id(visit))
        if str(ticket.blob.item_id) != visit.request.path_params["item_id"]:
            raise _missing(str(ticket.blob.blob_id))
        # whoever keeps the answer would keep an address that has expired
        return RedirectResponse(ticket.url, 303, {"cache-control": "no-store"})


def _blob_id(visit: Visit) -> UUID:
    named: str = visit.request.path_params["blob_id"]
    try:
        return UUID(named)
    except ValueError:
        raise _missing(named) from None


def _missing(named: str) -> Refusal:
    return Refusal(
        404, f"there is no file {named[:80]!r}", code=Code.NOT_FOUND, hint="the page of the item shows its files"
    )
