"""`windrow up`: everything on this machine, in one terminal."""

import asyncio
import signal
from typing import Any

from rich.console import Console

from windrow.app.everything import Everything, everything
from windrow.cli import show
from windrow.cli.frame import Json, command, operator
from windrow.cli.login import offer
from windrow.settings import Settings, read
from windrow.telemetry import emit, log
from windrow.telemetry.declare import Level

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@command
async def up(json: Json = False) -> None:
    """Start everything on this machine and keep it running; Ctrl-C stops it cleanly.

    PostgreSQL and Temporal are started, watched, started again should they die, and stopped with this command.
    Data lives below WINDROW_HOME and survives. With WINDROW_DATABASE_URL or WINDROW_TEMPORAL_ADDRESS set, that
    server is used instead.
    """
    settings = read()
    log.configure(format=settings.log_format, level=settings.log_level or Level.INFO)
    console = Console(stderr=True, highlight=False)
    stop = asked_to_stop()
    async with everything(settings) as running:
        from windrow.app.console import welcome

        invited = await welcome(settings, running.database, running.http_url, operator())
        told = addresses(settings, running)
        if json:
            show.document({"console": invited.link} | told)
        else:
            console.print(
                "[bold green]Windrow is up.[/] Ctrl-C stops it; try [bold]windrow doctor[/] in another terminal."
            )
            show.pairs(told)
            offer(invited.link)
        await until(stop, running)
        if not json:
            console.print("stopping …")


def addresses(settings: Settings, running: Everything) -> dict[str, str | None]:
    """Where things answer; the database without its password, which other commands find by themselves."""
    at = running.stack.database_url.rpartition("@")[2].partition("?")[0]
    return {
        "home": str(settings.home.absolute()),
        "postgres": at,
        "temporal": running.stack.temporal_address,
        "temporal_pages": running.stack.temporal_ui_url,
        "http": running.http_url,
        "events": running.events_url,
        "metrics": running.metrics_url,
    }


def asked_to_stop() -> asyncio.Future[str]:
    """Done with the signal's name when the process is asked to end."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[str] = loop.create_future()

    def ask(name: str) -> None:
        if not asked.done():
            asked.set_result(name)

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, ask, number.name)
    return asked


async def until(stop: asyncio.Future[str], running: Everything) -> None:
    """Wait for the signal; an engine that had to be given up ends the wait with its error."""
    watching = asyncio.create_task(running.stack.watch())
    waiting: set[asyncio.Future[Any]] = {stop, watching}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if watching.done():
        await watching
    watching.cancel()
    emit("process.stopping", process="up", reason=stop.result())
