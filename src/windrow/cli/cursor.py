"""`windrow cursor`: how far a source has been read."""

import json as encoding
from typing import Annotated

import typer

from windrow.app.compose import acting_for
from windrow.cli import show
from windrow.cli.frame import Json, LaneName, Project, Tenant, command, operator, scope
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.page import Cursor
from windrow.harvest import steering
from windrow.harvest.cursors import Cursors
from windrow.outbox.lane import LIVE, Lane
from windrow.settings import read

cursor = typer.Typer(help="How far a source has been read: fingerprints, never tokens.", no_args_is_help=True)

Endpoint = Annotated[str, typer.Argument(metavar="ENDPOINT", help="The endpoint.")]
SpecRef = Annotated[str, typer.Option(help="The spec that allows this: `spec_id@version`.")]
Reason = Annotated[str, typer.Option(help="Why; for the audit trail.")]
Expect = Annotated[int | None, typer.Option(help="Only if the cursor is at this version.")]


@cursor.command("show")
@command
async def shown(
    endpoint: Endpoint, lane: LaneName = LIVE, tenant: Tenant = None, project: Project = None, json: Json = False
) -> None:
    """Where the cursor is, and what a run that failed left behind."""
    about = _cursors(endpoint, lane, tenant, project)
    async with acting_for(tenant) as tx:
        found = await steering.shown(tx, about)
    (show.document if json else show.pairs)(found)


@cursor.command("override")
@command
async def override(
    endpoint: Endpoint,
    value: Annotated[str, typer.Argument(help="The cursor, as JSON, as the connector would give it.")],
    spec_ref: SpecRef,
    reason: Reason,
    expect: Expect = None,
    lane: LaneName = LIVE,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Put the cursor somewhere else. A run under way meets a conflict and reads it anew."""
    try:
        parsed = encoding.loads(value)
    except ValueError as error:
        raise ValidationFailure(
            f"the cursor is not JSON: {error}", code=Code.INVALID_VALUE, hint="quote it for the shell"
        ) from None
    await _put(endpoint, parsed, spec_ref, reason, expect, lane, tenant, project, json)


@cursor.command("reset")
@command
async def reset(
    endpoint: Endpoint,
    spec_ref: SpecRef,
    reason: Reason,
    expect: Expect = None,
    lane: LaneName = LIVE,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Read the source from its beginning with the next run. What is unchanged writes nothing."""
    await _put(endpoint, None, spec_ref, reason, expect, lane, tenant, project, json)


async def _put(
    endpoint: str,
    value: Cursor,
    spec_ref: str,
    reason: str,
    expect: int | None,
    lane: str,
    tenant: str | None,
    project: str | None,
    json: bool,
) -> None:
    about = _cursors(endpoint, lane, tenant, project)
    async with acting_for(tenant) as tx:
        version = await steering.override(
            tx, about, value, spec_ref=spec_ref, reason=reason, actor=operator(), expected=expect
        )
    (show.document if json else show.pairs)({"lane": str(about.lane), "version": version})


def _cursors(endpoint: str, lane: str, tenant: str | None, project: str | None) -> Cursors:
    return Cursors(Lane(scope(read(), tenant, project), endpoint, lane), "cursor")
