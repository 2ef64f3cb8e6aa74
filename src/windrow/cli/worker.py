"""`windrow worker`: a worker as a process of its own, for a real deployment."""

from typing import Annotated

import typer
from rich.console import Console

from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.cli.up import asked_to_stop
from windrow.settings import read
from windrow.telemetry import emit, log
from windrow.telemetry.declare import Level

QUEUES = ("meta-py", "meta-ts")


@command
async def worker(
    queue: Annotated[
        list[str] | None,
        typer.Option("--queue", help="A queue to serve: meta-py reads sources, meta-ts does the rest."),
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option("--family", help="Whose namespace to serve: harvesters, backfills.")
    ] = None,
    health_port: Annotated[int, typer.Option(help="Where /livez and /readyz answer; 0 finds a free port.")] = 0,
    json: Json = False,
) -> None:
    """Serve queues until the process is asked to end; then finish what is in hand, to a safe point at least.

    Any number may run on any number of machines, against the same Postgres and Temporal.
    """
    from windrow.app.orchestrating import FAMILIES
    from windrow.app.worker import worker as running

    settings = read()
    log.configure(format=settings.log_format, level=settings.log_level or Level.INFO)
    chosen = one_of("queue", queue, QUEUES)
    stop = asked_to_stop()
    async with running(settings, chosen, one_of("family", family, FAMILIES), health_port=health_port) as it:
        told = {
            "identity": it.workers.identity,
            "queues": list(chosen),
            "health": f"http://{settings.http_host}:{it.health_port}",
            "metrics": f"http://127.0.0.1:{it.metrics_port}/metrics",
        }
        (show.document if json else show.pairs)(told)
        emit("process.stopping", process="worker", reason=await stop)
        Console(stderr=True, highlight=False).print("stopping …")


def one_of(kind: str, given: list[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Those that were named, or all of them."""
    for name in given or ():
        if name not in known:
            raise typer.BadParameter(f"there is no {kind} {name!r}: {', '.join(known)}")
    return tuple(dict.fromkeys(given)) if given else known
