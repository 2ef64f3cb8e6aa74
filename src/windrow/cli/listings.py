"""`windrow listings`: what complete listings say is gone, and an operator's word where that is much."""

from typing import Annotated

import typer

from windrow.app.compose import acting_for
from windrow.catalog import listing
from windrow.catalog.listing import Place
from windrow.cli import show
from windrow.cli.frame import Json, LaneName, Project, Tenant, command, operator, scope
from windrow.harvest import deciding
from windrow.outbox.lane import LIVE, Lane
from windrow.settings import read

listings = typer.Typer(help="Complete listings of endpoints, and what they say is gone.", no_args_is_help=True)

Endpoint = Annotated[str, typer.Argument(metavar="ENDPOINT", help="The endpoint.")]
COLUMNS = ("generation", "lane", "state", "items", "missing", "known", "begun_at", "run_id", "why")


@listings.command("list")
@command
async def listed(endpoint: Endpoint, tenant: Tenant = None, project: Project = None, json: Json = False) -> None:
    """The latest listings of an endpoint, and how they stand."""
    place = Place(scope(read(), tenant, project).project_id, endpoint)
    async with acting_for(tenant) as tx:
        found = await listing.listings(tx, place)
    if json:
        show.document(found)
    else:
        rows = [{name: getattr(each, name) for name in COLUMNS} for each in found]
        show.table(
            rows,
            COLUMNS,
            empty="No listing: this endpoint was not harvested yet, or its source reports deletes itself.",
        )


@listings.command("approve")
@command
async def approve(
    endpoint: Endpoint,
    reason: Annotated[str | None, typer.Option(help="For the audit trail.")] = None,
    lane: LaneName = LIVE,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Carry out the listing that is held: what it lacks is gone, but for what was seen since it began."""
    about = Lane(scope(read(), tenant, project), endpoint, lane)
    async with acting_for(tenant) as tx:
        held, weighed = await deciding.approve(tx, about, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"generation": held.generation, "deleted": len(weighed.gone)})


@listings.command("refuse")
@command
async def refuse(
    endpoint: Endpoint,
    reason: Annotated[str, typer.Option(help="Why; for the audit trail.")],
    lane: LaneName = LIVE,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Do not carry out the listing that is held; the next whole one is weighed anew."""
    about = Lane(scope(read(), tenant, project), endpoint, lane)
    async with acting_for(tenant) as tx:
        held = await deciding.refuse(tx, about, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"generation": held.generation, "state": "refused"})
