"""`/api/v1/blobs`: content beside the catalog. It travels by signed URL, never through the API itself."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from windrow.blobs import Blob, State, Ticket, Wanted
from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Word

router = resource("blobs")


class BlobView(BaseModel):
    """A blob; `size` and `sha256` are known once it was uploaded."""

    model_config = ConfigDict(from_attributes=True)

    blob_id: UUID
    item_id: UUID
    state: State
    media_type: str
    name: str | None
    announced_size: int | None
    announced_sha256: str | None
    size: int | None
    sha256: str | None
    requested_by: str
    requested_at: datetime
    expires_at: datetime
    uploaded_at: datetime | None
    linked_at: datetime | None


class NewBlob(BaseModel):
    """What is going to be uploaded, and to which item it belongs."""

    model_config = ConfigDict(extra="forbid")

    item: UUID
    media_type: Word
    size: int | None = Field(None, ge=0, lt=2**53)
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    name: Word | None = None


class SignedUrl(BaseModel):
    """Whoever has it may do this one thing, for some minutes."""

    method: Literal["GET", "PUT"]
    url: str
    headers: dict[str, str]
    expires_at: datetime


class Grant(BaseModel):
    """A blob, and the URL for it."""

    blob: BlobView
    signed: SignedUrl

    @classmethod
    def of(cls, ticket: Ticket, method: Literal["GET", "PUT"]) -> "Grant":
        headers = {"content-type": ticket.blob.media_type} if method == "PUT" else {}
        signed = SignedUrl(method=method, url=ticket.url, headers=headers, expires_at=ticket.expires_at)
        return cls(blob=BlobView.model_validate(ticket.blob), signed=signed)


class Blobs(BaseModel):
    """All blobs of an item."""

    items: list[BlobView]


@router.get("/blobs")
async def listed(caller: Reader, here: Here, asked: Paged) -> Page[BlobView]:
    """The latest requested first."""
    turn = asked.about("blobs", UUID)
    found = await here.blobs.recent(caller.scope, before=turn.after, limit=turn.ask_for)
    return turn.page(list(map(_shown, found)), lambda each: each.blob_id)


@router.post("/blobs", status_code=201)
async def requested(caller: Writer, here: Here, said: NewBlob, response: Response) -> Grant:
    """Ask for a URL to upload to. No key: a request whose answer was lost runs out by itself, and no URL is kept."""
    wanted = Wanted(
        scope=caller.scope,
        item_id=said.item,
        media_type=said.media_type,
        size=said.size,
        sha256=said.sha256,
        name=said.name,
    )
    done = Grant.of(await here.blobs.request(wanted, caller.actor), "PUT")
    response.headers["location"] = f"{router.prefix}/blobs/{done.blob.blob_id}"
    return done


@router.get("/blobs/{blob_id}")
async def shown(caller: Reader, here: Here, blob_id: UUID) -> BlobView:
    """One blob."""
    return _shown(await here.blobs.find(caller.scope.tenant_id, blob_id, caller.scope.project_id))


@router.post("/blobs/{blob_id}/complete")
async def completed(caller: Writer, here: Here, blob_id: UUID) -> BlobView:
    """Link what was uploaded to its item; done again, it is the same."""
    return _shown(await here.blobs.complete(caller.scope, blob_id, caller.actor))


@router.post("/blobs/{blob_id}/download")
async def downloaded(caller: Reader, here: Here, blob_id: UUID) -> Grant:
    """A URL to download from; nothing is changed."""
    return Grant.of(await here.blobs.download(caller.scope, blob_id), "GET")


@router.get("/items/{item_id}/blobs")
async def of_item(caller: Reader, here: Here, item_id: UUID) -> Blobs:
    """The blobs of an item."""
    return Blobs(items=list(map(_shown, await here.blobs.of_item(caller.scope, item_id))))


def _shown(blob: Blob) -> BlobView:
    return BlobView.model_validate(blob)
