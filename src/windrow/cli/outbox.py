"""`windrow outbox`: batches on their way into the catalog."""

from typing import Annotated

import typer

from windrow.app.compose import acting_for, opened
from windrow.cli import show
from windrow.cli.frame import Json, LaneName, Project, Tenant, command, operator, scope
from windrow.cli.sync import size
from windrow.outbox import retention, stop
from windrow.outbox.lane import LIVE, Lane
from windrow.settings import read

outbox = typer.Typer(help="Batches on their way into the catalog.", no_args_is_help=True)

Endpoint = Annotated[str, typer.Argument(metavar="ENDPOINT", help="The endpoint whose lane is stopped.")]


@outbox.command("status")
@command
async def status(
    endpoint: Annotated[str | None, typer.Argument(help="Only this endpoint.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Every lane: what is pending, how old it is, and where one is stopped, why."""
    async with acting_for(tenant) as tx:
        found = await stop.statuses(tx, endpoint=endpoint)
    if json:
        show.document(found)
        return
    rows = [
        {
            "endpoint": each.endpoint_id,
            "lane": each.lane,
            "state": "stopped" if each.stopped_at else "flowing",
            "pending": each.pending,
            "items": each.pending_items,
            "size": size(each.pending_bytes),
            "oldest": each.oldest_at,
            "why": f"batch {each.stopped_seq}: {each.stopped_code} {each.stopped_why}" if each.stopped_at else None,
        }
        for each in found
    ]
    show.table(rows, list(rows[0]) if rows else (), empty="No lane yet: `windrow sync NAME` opens one.")


@outbox.command("retry")
@command
async def retry(
    endpoint: Endpoint,
    lane: LaneName = LIVE,
    reason: Annotated[str | None, typer.Option(help="For the audit trail.")] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Let a stopped lane try its batch again, in its place."""
    stopped = Lane(scope(read(), tenant, project), endpoint, lane)
    async with acting_for(tenant) as tx:
        seq = await stop.retry(tx, stopped, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"lane": str(stopped), "batch": seq, "state": "flowing"})


@outbox.command("discard")
@command
async def discard(
    endpoint: Endpoint,
    reason: Annotated[str, typer.Option(help="Why it may be lost; for the audit trail.")],
    lane: LaneName = LIVE,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Set aside the batch at which a lane is stopped; the lane goes on behind it. It is not applied later."""
    stopped = Lane(scope(read(), tenant, project), endpoint, lane)
    async with acting_for(tenant) as tx:
        seq = await stop.discard(tx, stopped, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"lane": str(stopped), "discarded": seq, "state": "flowing"})


@outbox.command("purge")
@command
async def purge(
    keep_hours: Annotated[
        float | None, typer.Option(min=0, help="Keep what was settled since; the setting by default.")
    ] = None,
    json: Json = False,
) -> None:
    """Remove settled batches after their retention, of all tenants. `windrow up` does it by itself."""
    settings = read()
    hours = settings.outbox_retention_hours if keep_hours is None else keep_hours
    async with opened(settings) as app:
        removed = await retention.purge(app.database, keep_hours=hours)
    (show.document if json else show.pairs)({"removed": removed, "kept_hours": hours})
