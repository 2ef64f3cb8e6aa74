"""`windrow speakers`: who probably speaks in the media of a request or of a channel."""

from typing import Annotated, Any

import typer

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Project, Reason, Tenant, command, operator, scope
from windrow.contracts.errors import Code, ValidationFailure
from windrow.media import speakers as registry
from windrow.settings import read

speakers = typer.Typer(help="The speaker registry: who probably speaks in a medium.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The speaker's name.")]
Channel = Annotated[str | None, typer.Option("--channel", metavar="ID", help="In all media of this channel.")]
Request = Annotated[str | None, typer.Option("--request", metavar="ID", help="In the media of this request.")]


@speakers.command("list")
@command
async def entries(
    channel: Channel = None,
    request: Request = None,
    limit: Annotated[int, typer.Option(min=1, max=registry.MOST, help="How many at the most.")] = 100,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """List the entries of the registry, or those of one channel or request."""
    settings = read()
    within = scope(settings, tenant, project)
    about = _about(channel, request) if channel or request else None
    async with opened(settings) as app, app.database.tenant(within.tenant_id) as tx:
        found = await registry.listed(tx, within, about, limit=limit)
    if json:
        show.document(found)
        return
    columns = ("kind", "about", "name", "role", "updated_at")
    rows = [{column: getattr(entry, column) for column in columns} for entry in found]
    show.table(rows, columns, empty="Nobody is entered yet: `windrow speakers add NAME --channel ID --role host`.")


@speakers.command("show")
@command
async def resolved(
    channel: Channel = None,
    request: Request = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Show who would be hinted at in a medium of this channel and this request, in this order."""
    settings = read()
    within = scope(settings, tenant, project)
    if not channel and not request:
        raise _which("no request and no channel is named")
    async with opened(settings) as app, app.database.tenant(within.tenant_id) as tx:
        found = await registry.hints(tx, within, request, channel)
    rows: list[dict[str, Any]] = [{"name": one.name, "role": one.role, "source": one.source} for one in found]
    if json:
        show.document(rows)
    else:
        show.table(rows, ("name", "role", "source"), empty="Nobody is known to speak there.")


@speakers.command("add")
@command
async def add(
    name: Name,
    role: Annotated[str, typer.Option(help="What the speaker is there: host, guest, moderator …")],
    channel: Channel = None,
    request: Request = None,
    reason: Reason = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Enter a speaker for a channel or for a request, or give one another role."""
    settings = read()
    within, about = scope(settings, tenant, project), _about(channel, request)
    async with opened(settings) as app, app.database.tenant(within.tenant_id) as tx:
        changed = await registry.add(tx, within, about, name, role, actor=operator(), reason=reason)
    _tell(about, name, "added" if changed else "unchanged", json)


@speakers.command("remove")
@command
async def remove(
    name: Name,
    channel: Channel = None,
    request: Request = None,
    reason: Reason = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Take a speaker out; media that were enriched already keep their hints."""
    settings = read()
    within, about = scope(settings, tenant, project), _about(channel, request)
    async with opened(settings) as app, app.database.tenant(within.tenant_id) as tx:
        await registry.remove(tx, within, about, name, actor=operator(), reason=reason)
    _tell(about, name, "removed", json)


def _about(channel: str | None, request: str | None) -> registry.About:
    match channel, request:
        case str(), None:
            return registry.About(registry.Kind.CHANNEL, channel)
        case None, str():
            return registry.About(registry.Kind.REQUEST, request)
    raise _which("a channel and a request are named" if channel else "no request and no channel is named")


def _which(what: str) -> ValidationFailure:
    return ValidationFailure(what, code=Code.INVALID, hint="say --channel ID or --request ID")


def _tell(about: registry.About, name: str, outcome: str, json: bool) -> None:
    answer = {"kind": about.kind, "about": about.id, "name": name.strip(), "outcome": outcome}
    (show.document if json else show.pairs)(answer)
