"""What a command or process works with, wired from the settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.postgres import Database, Transaction
from windrow.postgres.address import checked_address
from windrow.postgres.migrate import inspect
from windrow.settings import Settings, read
from windrow.stack import EmbeddedPostgres, EmbeddedTemporal, ExternalPostgres, ExternalTemporal, StackConfig, discover

_START = "start everything on this machine with `windrow up`"


@dataclass(frozen=True, slots=True)
class App:
    """An open database, and where Temporal answers."""

    settings: Settings
    database: Database
    temporal_address: str | None


def stack_config(settings: Settings) -> StackConfig:
    """Embedded engines, but for those that the settings name elsewhere."""
    return StackConfig(
        home=settings.home.absolute(),
        engine_user=settings.engine_user,
        postgres=ExternalPostgres(checked_address(settings.database_url.get_secret_value()))
        if settings.database_url
        else EmbeddedPostgres(port=settings.postgres_port),
        temporal=ExternalTemporal(settings.temporal_address)
        if settings.temporal_address
        else EmbeddedTemporal(port=settings.temporal_port, ui_port=settings.temporal_ui_port),
    )


def database_url(settings: Settings) -> str:
    """The database of the settings, or of the stack that runs in the home directory."""
    if settings.database_url:
        return checked_address(settings.database_url.get_secret_value())
    home = settings.home.absolute()
    running = discover(home)
    if running is None or running.database_url is None:
        state = "is still starting" if running else "runs"
        raise RetryableTransient(
            f"no stack {state} in {home}" if not running else f"the stack in {home} {state}",
            code=Code.DATABASE_UNREACHABLE,
            hint=f"{_START}; if it runs elsewhere, go to its directory or set WINDROW_HOME; or name a Postgres in "
            "WINDROW_DATABASE_URL",
        )
    return running.database_url


def temporal_address(settings: Settings) -> str | None:
    """Temporal of the settings, or of the stack that runs in the home directory; None when there is neither."""
    if settings.temporal_address:
        return settings.temporal_address
    running = discover(settings.home.absolute())
    return running.temporal_address if running else None


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[App]:
    """The application for one command: a database that answers and is migrated, or at once the reason why not."""
    url = database_url(settings)
    if (await inspect(url)).pending:
        raise Fatal("the database is not migrated", code=Code.SCHEMA_MISSING, hint="`windrow doctor --repair` does it")
    async with Database(url, size=settings.database_pool_size) as database:
        yield App(settings, database, temporal_address(settings))


@asynccontextmanager
async def acting_for(tenant: str | None) -> AsyncIterator[Transaction]:
    """One transaction of a command, for the tenant that was named or that of the settings."""
    settings = read()
    async with opened(settings) as app, app.database.tenant(tenant or settings.tenant) as tx:
        yield tx
