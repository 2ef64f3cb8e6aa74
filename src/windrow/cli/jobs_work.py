"""`windrow jobs work`: a worker in a process of its own; and what workers leave on disk."""

import time
from contextlib import AsyncExitStack
from typing import Annotated

import typer
from rich.console import Console

from windrow.app.background import Background
from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.cli.sync import size
from windrow.cli.up import asked_to_stop
from windrow.postgres.wakeups import Wakeups
from windrow.settings import read
from windrow.telemetry import bound, emit, log
from windrow.telemetry.declare import Level
from windrow.telemetry.export import export, serve_metrics


@command
async def work(
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1000, help="How many jobs at once (WINDROW_MAX_CONCURRENCY).")
    ] = None,
    json: Json = False,
) -> None:
    """Run jobs until Ctrl-C or SIGTERM, then end what is in hand: the database is the one of WINDROW_DATABASE_URL, or that of `windrow up`.

    Any number of workers may run, on any number of machines that share the database and the object store.
    """
    from windrow.app.belonging import join
    from windrow.app.jobs import employ, worker_limits
    from windrow.app.outside import objects

    settings = read()
    log.configure(format=settings.log_format, level=settings.log_level or Level.INFO)
    stop = asked_to_stop()
    async with AsyncExitStack() as running:
        running.enter_context(bound(agent="job-worker", directive="jobs"))
        exported = export("jobs", otlp_endpoint=settings.otlp_endpoint)
        running.callback(exported.shutdown)
        app = await running.enter_async_context(opened(settings))
        store = objects(settings)
        await join(settings, app.database, store)
        wakeups = Wakeups(app.database.url)
        background = await running.enter_async_context(Background())
        employ(background, settings, app.database, wakeups, store, concurrency=concurrency)
        background.start("wakeups", wakeups.run)
        metrics, _ = serve_metrics(settings.metrics_port)
        running.callback(metrics.server_close)
        running.callback(metrics.shutdown)
        emit("process.started", process="jobs")
        told = {
            "concurrency": worker_limits(settings, concurrency).concurrency,
            "metrics": f"http://127.0.0.1:{metrics.server_port}/metrics",
        }
        if json:
            show.document(told)
        else:
            Console(stderr=True, highlight=False).print("[bold green]Windrow works on jobs.[/] Ctrl-C stops it.")
            show.pairs(told)
        emit("process.stopping", process="jobs", reason=await stop)
    emit("process.stopped", process="jobs")


@command
async def clean_scratch(
    older_than: Annotated[
        float, typer.Option("--older-than", min=0, help="Only what nobody has touched for so many hours.")
    ] = 24,
    json: Json = False,
) -> None:
    """Remove what failed jobs have left on the disk of this machine."""
    from windrow.app.jobs import scratch_root
    from windrow.jobs.scratch import clean

    root = scratch_root(read())
    cleaned = clean(root, older_than=older_than * 3600, now=time.time())
    if json:
        show.document({"scratch": str(root), "directories": cleaned.directories, "bytes": cleaned.bytes})
    else:
        show.pairs({"scratch": str(root), "removed": cleaned.directories, "freed": size(cleaned.bytes)})
