"""`windrow blobs`: content of items, brought and fetched through the HTTP application like any client does."""

import mimetypes
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from windrow.app.client import Progress as Advance
from windrow.app.client import calling, check_absent, fingerprint
from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.contracts.errors import Code, ValidationFailure
from windrow.settings import read

blobs = typer.Typer(help="Content of items: upload, list, download.", no_args_is_help=True)

COLUMNS = ("blob_id", "item_id", "state", "name", "media_type", "size", "requested_at")
_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)

BlobId = Annotated[str, typer.Argument(metavar="ID", help="The blob's id.")]
Endpoint = Annotated[
    str | None, typer.Option(help="The endpoint of the item: ITEM is then the id that the source gives it.")
]


@blobs.command("upload")
@command
async def upload(
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item's id; with --endpoint, its external id.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to upload.")],
    endpoint: Endpoint = None,
    media_type: Annotated[str | None, typer.Option(help="By the file's name, when not given.")] = None,
    name: Annotated[str | None, typer.Option(help="How it is called; as the file, when not given.")] = None,
    json: Json = False,
) -> None:
    """Upload a file and link it to an item."""
    size, sha256 = await fingerprint(file)
    wanted = {
        "item": {"endpoint": endpoint, "external_id": item} if endpoint else checked_id(item),
        "media_type": media_type or mimetypes.guess_type(file.name)[0] or "application/octet-stream",
        "size": size,
        "sha256": sha256,
        "name": name or file.name,
    }
    async with calling(read()) as client:
        ticket = await client.call("POST", "/v1/blobs", wanted)
        with progress(file.name, size) as advance:
            await client.upload(ticket["upload"], file, advance)
        tell(await client.call("POST", ticket["complete"]), json)


@blobs.command("list")
@command
async def listed(
    item: Annotated[str | None, typer.Argument(metavar="[ITEM]", help="Only those of this item.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")] = 50,
    before: Annotated[str | None, typer.Option(help="Only those older than this blob: the next page.")] = None,
    json: Json = False,
) -> None:
    """List blobs, newest first; those of an item, oldest first."""
    async with calling(read()) as client:
        if item:
            found = await client.call("GET", f"/v1/items/{checked_id(item)}/blobs")
        else:
            found = await client.call("GET", "/v1/blobs", limit=str(limit), **({"before": before} if before else {}))
    if json:
        show.document(found["blobs"])
        return
    show.table(found["blobs"], COLUMNS, empty="Nothing was uploaded yet: `windrow blobs upload ITEM FILE`.")


@blobs.command("show")
@command
async def shown(blob_id: BlobId, json: Json = False) -> None:
    """Show a blob: what it is, and how far it has come."""
    async with calling(read()) as client:
        tell(await client.call("GET", f"/v1/blobs/{checked_id(blob_id)}"), json)


@blobs.command("download")
@command
async def download(
    blob_id: BlobId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to put it; nothing is written over.")],
    json: Json = False,
) -> None:
    """Download a blob into a file."""
    check_absent(file)
    async with calling(read()) as client:
        found = await client.call("POST", f"/v1/blobs/{checked_id(blob_id)}/download")
        with progress(file.name, found["size"]) as advance:
            await client.download(found["download"], file, found["sha256"], advance)
    tell({name: value for name, value in found.items() if name != "download"} | {"file": str(file)}, json)


def checked_id(text: str) -> str:
    """An id that can stand in an address."""
    if not _ID.fullmatch(text):
        raise ValidationFailure(
            f"{text[:80]!r} is no id", code=Code.INVALID, hint="`windrow items` and `windrow blobs list` show ids"
        )
    return text.lower()


def tell(blob: Mapping[str, Any], json: bool) -> None:
    (show.document if json else show.pairs)(blob)


@contextmanager
def progress(name: str, size: int) -> Iterator[Advance]:
    """A bar for a person who waits; nothing in a pipe."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(show.cell(name), total=size)
        yield lambda count: bar.advance(task, count)
