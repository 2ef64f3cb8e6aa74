"""A worker as a process of its own: polls queues, persists, keeps the schedules true."""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from temporalio.client import Client

from windrow.app.attending import attend
from windrow.app.background import Background
from windrow.app.compose import opened
from windrow.app.health import answering
from windrow.app.listening import Listener
from windrow.app.orchestrating import FAMILIES, connected, rebuilt_schedules, working
from windrow.app.outside import Outside, outside
from windrow.app.scribing import written_down
from windrow.app.sources import Sources
from windrow.harvest import tidings
from windrow.harvest.subscriber import Subscriber
from windrow.orchestration import controls
from windrow.orchestration.names import META_PY, META_TS
from windrow.orchestration.worker import Workers
from windrow.postgres import Database
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup, Wakeups
from windrow.settings import Settings
from windrow.telemetry import bound, emit
from windrow.telemetry.export import export, serve_metrics

CHANNEL = "windrow_schedules"
_SCHEDULES = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Running:
    """A worker that runs, and where it answers."""

    workers: Workers
    health_port: int
    metrics_port: int


@asynccontextmanager
async def worker(
    settings: Settings, queues: Iterable[str], families: Iterable[str] = FAMILIES, *, health_port: int = 0
) -> AsyncIterator[Running]:
    """Run until the body ends: then nothing new is taken, and what is in hand comes to a safe point."""
    queues = tuple(queues)
    with bound(agent="meta-worker", directive="worker"):
        async with AsyncExitStack() as running:
            exported = export("worker", otlp_endpoint=settings.otlp_endpoint)
            running.callback(exported.shutdown)
            app = await running.enter_async_context(opened(settings))
            await running.enter_async_context(written_down(app.database))
            beyond = await running.enter_async_context(outside(settings, os.environ))
            background = await running.enter_async_context(Background())
            wakeups = Wakeups(app.database.url)
            pollers = await orchestrate(settings, app.database, beyond, wakeups, background, queues, families)
            background.start("wakeups", wakeups.run)
            if META_TS in queues:
                attend(background, settings, app.database, beyond, wakeups, name=f"worker-{os.getpid()}")
            server, _ = serve_metrics(settings.metrics_port)
            running.callback(server.shutdown)
            port = await running.enter_async_context(answering(settings.http_host, health_port, pollers.ready.is_set))
            emit("process.started", process="worker")
            await pollers.ready.wait()
            yield Running(pollers, port, server.server_port)
        emit("process.stopped", process="worker")


async def orchestrate(
    settings: Settings,
    database: Database,
    beyond: Outside,
    wakeups: Wakeups,
    background: Background,
    queues: Iterable[str],
    families: Iterable[str] = FAMILIES,
    *,
    address: str | None = None,
) -> Workers:
    """Start polling in the background; where orchestration is polled for, the catalog is persisted and schedules are kept."""
    temporal = await connected(settings, families, address=address)
    subscriber = Subscriber(database, wakeups)
    pollers = working(settings, database, beyond, subscriber, temporal, queues)
    background.start("workers", pollers.run)
    if META_PY in queues:
        sources = Sources(settings, database, beyond.vault)
        listener = Listener(database, sources, subscriber, wakeups.on(tidings.CHANNEL), asyncio.get_running_loop().time)
        background.start("tidings", listener.run)
    if META_TS in queues:
        background.start("subscriber", subscriber.run)
        keeper = Keeper(database, temporal.harvesters, wakeups.on(CHANNEL))
        background.start("schedules", keeper.run)
        background.every(_SCHEDULES, "cursor.lag", lambda: controls.measure(database))
    return pollers


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps Temporal's schedules as Postgres has them: at once when told of a change, and every minute."""

    database: Database
    client: Client
    wakeup: Wakeup

    async def run(self) -> None:
        """Until cancelled."""
        while not is_cancelled():
            done = await rebuilt_schedules(self.database, self.client)
            if done.created or done.updated or done.removed:
                emit(
                    "schedules.rebuilt", created=len(done.created), updated=len(done.updated), removed=len(done.removed)
                )
            await self.wakeup.wait(_SCHEDULES.total_seconds() * random.uniform(0.75, 1.25))  # noqa: S311 - no secret
