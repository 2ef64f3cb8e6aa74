"""`windrow events`: the metadata worker as a process of its own, for a real deployment."""

from typing import Annotated

import typer
from rich.console import Console

from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.cli.up import asked_to_stop
from windrow.settings import read
from windrow.telemetry import emit, log
from windrow.telemetry.declare import Level


@command
async def events(
    host: Annotated[
        str | None, typer.Option(help="Where to listen (WINDROW_EVENTS_HOST); beyond this machine only with tokens.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port (WINDROW_EVENTS_PORT); 0 finds a free one.")
    ] = None,
    json: Json = False,
) -> None:
    """Take events about media jobs, enrich the jobs and move them on, until the process is asked to end.

    CloudEvents (Eventarc) and Pub/Sub pushes go to `POST /`; `GET /health` and `GET /ready` answer probes; `POST /jobs` takes
    new jobs. What events did not bring about is swept up, objects follow the rows, enriched jobs go to the job runtime. Any
    number may run against the same Postgres and the same store.
    """
    from windrow.app.events import events as running  # a server takes a while to load, and other commands need none

    settings = read()
    log.configure(format=settings.log_format, level=settings.log_level or Level.INFO)
    chosen = {"events_host": host, "events_port": port}
    settings = settings.model_copy(update={name: value for name, value in chosen.items() if value is not None})
    stop = asked_to_stop()
    async with running(settings) as it:
        told = {"events": it.url, "metrics": f"http://127.0.0.1:{it.metrics_port}/metrics"}
        if json:
            show.document(told)
        else:
            Console(stderr=True, highlight=False).print("[bold green]The metadata worker is up.[/] Ctrl-C stops it.")
            show.pairs(told)
        emit("process.stopping", process="events", reason=await stop)
