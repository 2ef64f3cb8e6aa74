"""`windrow login`: a link to the console that works once."""

from typing import Annotated

import typer
from rich.console import Console

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope
from windrow.settings import read
from windrow.web.principal import Role


def offer(link: str) -> None:
    """The link on a line of its own, as it is: a table would fold it, and it could not be clicked."""
    print(link, flush=True)  # noqa: T201
    Console(stderr=True, highlight=False).print(
        "That link opens the console; it works once, and for a quarter of an hour. [bold]windrow login[/] prints another."
    )


@command
async def login(
    role: Annotated[Role, typer.Option(help="What who opens the link may do.")] = Role.ADMIN,
    name: Annotated[
        str | None,
        typer.Option(help="Under which name, as the audit trail tells it; yours, if not given.", metavar="NAME"),
    ] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Print a link that logs a browser in to the console. It works once, and for a quarter of an hour.

    Your own link, without options, may look at every tenant; one that is made for a role or a tenant only sees that one's.
    """
    from windrow.app.console import console_url, person
    from windrow.console.session.links import Guest, invite

    settings, by = read(), operator()
    url = console_url(settings)
    everywhere = role is Role.ADMIN and name is None and tenant is None and project is None
    guest = Guest(scope(settings, tenant, project), role, name or person(by), anywhere=everywhere)
    async with opened(settings) as app:
        invited = await invite(app.database, url, guest, by)
    if json:
        show.document({"link": invited.link, "expires_at": invited.expires_at})
        return
    offer(invited.link)
