"""An export of the catalog from this process: where it goes, who asked for it, and what came of it."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from windrow.app.belonging import join
from windrow.app.outside import objects
from windrow.catalog.destination import Destination, Directory, Folder
from windrow.catalog.export import export
from windrow.catalog.unfinished import UNFINISHED, ExportOrder, ExportProgress
from windrow.contracts.errors import Code, Conflict, WindrowError
from windrow.contracts.scope import Actor
from windrow.objects.keys import checked_key
from windrow.postgres import Database, audit
from windrow.settings import Settings


async def exported(
    settings: Settings,
    database: Database,
    order: ExportOrder,
    to: str | None,
    *,
    actor: Actor,
    watch: Callable[[ExportProgress], None],
) -> dict[str, Any]:
    """Write the catalog down, from where an earlier attempt was left; where it is, and its manifest."""
    destination = destination_of(settings, order, to)
    if isinstance(destination, Folder):
        await join(settings, database, objects(settings))
    async with database.tenant(order.scope.tenant_id) as tx:
        # before anything leaves: what was taken out is to be known also where the export did not end well
        await audit.record(
            tx,
            actor,
            "catalog.export",
            f"exports/{order.export_id}",
            project_id=order.scope.project_id,
            details={"to": str(destination), "format": str(order.format)},
        )
    try:
        manifest = await export(database, destination, order, watch=watch)
    except WindrowError as error:
        error.hint = error.hint or f"`--id {order.export_id}`, and all else as before, goes on behind the last part"
        raise
    return {"to": str(destination), **manifest}


def destination_of(settings: Settings, order: ExportOrder, to: str | None) -> Destination:
    """A directory where `to` is a path (`/…`, `./…`, `~/…`), else a folder of the tenant's objects."""
    if to is not None and to.startswith(("/", ".", "~")):
        return Directory(_empty(Path(to).expanduser().absolute()))
    prefix = checked_key(to.rstrip("/")) if to else f"exports/{order.export_id}"
    return Folder(objects(settings).for_tenant(order.scope.tenant_id), prefix)


def new_export_id() -> str:
    """Readable, in order of time, and nobody else's."""
    return f"{datetime.now(UTC):%Y%m%dt%H%M%S}-{uuid.uuid4().hex[:6]}"


def _empty(path: Path) -> Path:
    """Nobody's files are mixed with ours, or written over. Of an export that is not whole, `begin` sees whose it is."""
    if path.exists() and not (path.is_dir() and (not any(path.iterdir()) or (path / UNFINISHED).is_file())):
        raise Conflict(
            f"{path} is no empty directory", code=Code.ALREADY_EXISTS, hint="name one that is empty, or not there yet"
        )
    return path
