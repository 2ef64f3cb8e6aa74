"""`windrow export`: the catalog as NDJSON or Parquet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.status import Status

from windrow.app.compose import opened
from windrow.app.exporting import exported, new_export_id
from windrow.catalog import Filters
from windrow.catalog.formats import Format
from windrow.catalog.unfinished import ExportOrder, ExportProgress
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope
from windrow.cli.items import Deleted, Endpoint, Label, Owner, Type
from windrow.cli.sync import size
from windrow.settings import read


class Kind(StrEnum):
    """What `--format` takes."""

    NDJSON = "ndjson"
    PARQUET = "parquet"


@command
async def export(
    format: Annotated[  # noqa: A002 - the option is called so
        Kind, typer.Option(help="Lines of JSON, or Parquet (which needs `windrow[parquet]`).")
    ] = Kind.NDJSON,
    zstd: Annotated[bool, typer.Option("--zstd", help="Compress the lines; Parquet is in any case.")] = False,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="An empty directory (`./out`, `/srv/out`), or a prefix of the tenant's objects; `exports/ID` when not given.",
        ),
    ] = None,
    endpoint: Endpoint = None,
    entity_type: Type = None,
    label: Label = None,
    owner: Owner = None,
    deleted: Deleted = False,
    export_id: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Go on with this export; one that is whole is written again."),
    ] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Write the catalog down: parts of items, and a manifest last, so that a reader knows that it is whole."""
    settings = read()
    order = ExportOrder(
        scope=scope(settings, tenant, project),
        export_id=export_id or new_export_id(),
        filters=Filters(endpoint=endpoint, entity_type=entity_type, label=label, owner=owner, deleted=deleted),
        format=chosen(format, zstd),
    )
    async with opened(settings) as app:
        with following(quiet=json) as watch:
            done = await exported(settings, app.database, order, to, actor=operator(), watch=watch)
    (show.document if json else show.pairs)(summary(done))


def chosen(kind: Kind, zstd: bool) -> Format:
    if kind is Kind.PARQUET:
        return Format.PARQUET
    return Format.NDJSON_ZSTD if zstd else Format.NDJSON


@contextmanager
def following(*, quiet: bool) -> Iterator[Callable[[ExportProgress], None]]:
    """A line that moves at a terminal; elsewhere a line for each part."""
    console = Console(stderr=True, highlight=False)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with Status("writing the first part …", console=console) as status:
            yield lambda at: status.update(said(at))
    else:
        yield lambda at: console.print(said(at), markup=False)


def said(at: ExportProgress) -> str:
    return f"{len(at.parts)} parts · {at.items:,} items · {size(at.bytes)}"


def summary(done: dict[str, Any]) -> dict[str, Any]:
    """The manifest without what is long; the parts are counted."""
    shown = {name: value for name, value in done.items() if name not in ("schema", "parts", "consistency", "filters")}
    return shown | {"parts": len(done["parts"])}
