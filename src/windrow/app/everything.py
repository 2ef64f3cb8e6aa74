"""Everything on this machine: the engines, the migrated database, the background work, the metrics page."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from windrow.app import announcing
from windrow.app.attending import attend
from windrow.app.background import Background
from windrow.app.belonging import join
from windrow.app.compose import stack_config
from windrow.app.housekeeping import keep_blobs
from windrow.app.jobs import employ
from windrow.app.media import media
from windrow.app.outside import outside
from windrow.app.scribing import written_down
from windrow.contracts.errors import WindrowError
from windrow.postgres import Database
from windrow.postgres.migrate import migrate
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings
from windrow.stack import Stack
from windrow.telemetry import bound, emit
from windrow.telemetry.export import export, serve_metrics

QUEUES = ("meta-py", "meta-ts")


@dataclass(frozen=True, slots=True)
class Everything:
    """What runs, and where it answers."""

    stack: Stack
    database: Database
    metrics_url: str
    http_url: str
    events_url: str


@asynccontextmanager
async def everything(settings: Settings, *, process: str = "up") -> AsyncIterator[Everything]:
    """Start it all; leaving stops it in the opposite order."""
    with bound(agent="orchestrator", directive=process):
        async with AsyncExitStack() as running:
            exported = export(process, otlp_endpoint=settings.otlp_endpoint)
            running.callback(exported.shutdown)
            stack = await running.enter_async_context(Stack(stack_config(settings)))
            owner = (
                settings.database_owner_url.get_secret_value() if settings.database_owner_url else stack.database_url
            )
            await migrate(owner)
            database = await running.enter_async_context(Database(stack.database_url, size=settings.database_pool_size))
            await running.enter_async_context(written_down(database))
            beyond = await running.enter_async_context(outside(settings, os.environ))
            await join(settings, database, beyond.objects)
            wakeups = Wakeups(stack.database_url)
            work = await running.enter_async_context(media(settings, database, beyond, wakeups))
            background = await running.enter_async_context(Background())
            attend(background, settings, database, beyond, wakeups, name=f"up-{os.getpid()}")
            from windrow.app.declarations import apply_namespaces  # Temporal's client takes a while to load
            from windrow.app.worker import orchestrate

            await apply_namespaces(settings, stack.temporal_address)
            pollers = await orchestrate(
                settings, database, beyond, wakeups, background, QUEUES, address=stack.temporal_address
            )
            employ(background, settings, database, wakeups, beyond.objects)
            work.start(background, database, keep=timedelta(days=settings.media_retention_days))
            bell = wakeups.on(announcing.CHANNEL)
            background.start("wakeups", wakeups.run)
            await pollers.ready.wait()
            server, _ = serve_metrics(settings.metrics_port)
            running.callback(server.shutdown)
            from windrow.app.events import served as receiving
            from windrow.app.serving import served  # a server takes a while to load, and other commands need none

            web = await running.enter_async_context(served(settings, database, beyond.vault))
            keep_blobs(background, web.blobs)
            receiver = await running.enter_async_context(receiving(settings, database, work))
            announcing.announce(
                background, settings, beyond.objects, work.places, bell, url=receiver.url, token=receiver.token
            )
            emit("process.started", process=process)
            try:
                yield Everything(
                    stack, database, f"http://127.0.0.1:{server.server_port}/metrics", web.url, receiver.url
                )
            except WindrowError as error:
                emit("process.failed", process=process, error_class=error.error_class, code=error.code, error=error)
                raise
        emit("process.stopped", process=process)
