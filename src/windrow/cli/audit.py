"""`windrow audit`: who changed what, by which authority."""

from dataclasses import asdict
from typing import Annotated

import typer

from windrow.app.compose import acting_for
from windrow.cli import show
from windrow.cli.frame import Json, Tenant, command
from windrow.postgres import audit as trail


@command
async def audit(
    subject: Annotated[
        str | None, typer.Argument(help="A thing's name; ending in `*`, all that begin with it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many lines at the most.")] = 50,
    before: Annotated[int | None, typer.Option(help="Only lines older than this number: the next page.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Who changed what, by which authority: newest first, hashes of before and after."""
    async with acting_for(tenant) as tx:
        entries = await trail.history(tx, subject=subject, before=before, limit=limit)
    if json:
        show.document(entries)
        return
    rows = [
        asdict(entry) | {"before": _short(entry.before_hash), "after": _short(entry.after_hash)} for entry in entries
    ]
    columns = ("id", "at", "actor", "authority", "action", "subject", "before", "after", "reason")
    show.table(rows, columns, empty="Nothing was changed yet.")


def _short(digest: str | None) -> str | None:
    return digest[:12] if digest else None
