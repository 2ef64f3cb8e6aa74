"""The console of this machine: the way in, and where Temporal shows its own pages."""

from windrow.app.doorplate import address
from windrow.console.session.links import Guest, Invited, invite
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Actor, Scope
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.stack import discover
from windrow.web.principal import Role


async def welcome(settings: Settings, database: Database, url: str, by: Actor) -> Invited:
    """A link for whoever runs this machine: as its operator, who may look at every tenant."""
    scope = Scope(settings.tenant, settings.project)
    return await invite(database, url, Guest(scope, Role.ADMIN, person(by), anywhere=True), by)


def person(by: Actor) -> str:
    """The name of somebody at a shell, without where he is."""
    return by.name.removeprefix("cli:")


def console_url(settings: Settings) -> str:
    """Where the console answers that runs here, or that the settings name."""
    url = settings.http_url or address(settings.home.absolute())
    if url is None:
        raise RetryableTransient(
            f"no console runs in {settings.home}",
            code=Code.UNAVAILABLE,
            hint="start it with `windrow up`, or name where it answers in WINDROW_HTTP_URL",
        )
    return url.rstrip("/")


def temporal_pages(settings: Settings) -> str | None:
    """Where the Temporal of this machine shows the harvesters' workflows; None where it is somebody else's."""
    running = discover(settings.home.absolute())
    if running is None or running.temporal_ui_url is None:
        return None
    from windrow.app.declarations import namespaces  # Temporal's client takes a while to load
    from windrow.app.orchestrating import HARVESTERS

    (declared,) = namespaces(settings, families=(HARVESTERS,))
    return f"{running.temporal_ui_url}/namespaces/{declared.name}"
