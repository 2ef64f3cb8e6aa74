"""`windrow serve`: the HTTP application alone, on a database that runs elsewhere."""

import os
from contextlib import AsyncExitStack

from rich.console import Console

from windrow.app.background import Background
from windrow.app.belonging import join
from windrow.app.compose import opened
from windrow.app.outside import outside
from windrow.cli import show
from windrow.cli.frame import Json, command, operator
from windrow.cli.login import offer
from windrow.cli.up import asked_to_stop
from windrow.settings import read
from windrow.telemetry import bound, emit, log
from windrow.telemetry.declare import Level
from windrow.telemetry.export import export, serve_metrics


@command
async def serve(json: Json = False) -> None:
    """Serve HTTP, and nothing else, until Ctrl-C: the database is the one of WINDROW_DATABASE_URL, or that of `windrow up`.

    Only this machine is listened to: for others, put a proxy with TLS in front and name its address in WINDROW_HTTP_URL.
    """
    from windrow.app.console import welcome
    from windrow.app.housekeeping import keep_blobs
    from windrow.app.serving import served  # a server takes a while to load, and other commands need none

    settings = read()
    log.configure(format=settings.log_format, level=settings.log_level or Level.INFO)
    stop = asked_to_stop()
    async with AsyncExitStack() as running:
        running.enter_context(bound(agent="meta-api", directive="serve"))
        exported = export("serve", otlp_endpoint=settings.otlp_endpoint)
        running.callback(exported.shutdown)
        app = await running.enter_async_context(opened(settings))
        beyond = await running.enter_async_context(outside(settings, os.environ))
        await join(settings, app.database, beyond.objects)
        background = await running.enter_async_context(Background())
        web = await running.enter_async_context(served(settings, app.database, beyond.vault))
        keep_blobs(background, web.blobs)
        metrics, _ = serve_metrics(settings.metrics_port)
        running.callback(metrics.server_close)
        running.callback(metrics.shutdown)
        emit("process.started", process="serve")
        invited = await welcome(settings, app.database, web.url, operator())
        told = {"http": web.url, "metrics": f"http://127.0.0.1:{metrics.server_port}/metrics"}
        if json:
            show.document({"console": invited.link} | told)
        else:
            Console(stderr=True, highlight=False).print("[bold green]Windrow serves.[/] Ctrl-C stops it.")
            show.pairs(told)
            offer(invited.link)
        emit("process.stopping", process="serve", reason=await stop)
    emit("process.stopped", process="serve")
