"""A worker that cuts clips, on a real database and a real object store."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from windrow.app.background import Background
from windrow.clips.asked import Asked
from windrow.clips.clip import NAME, Clips
from windrow.contracts.errors import RetryableTransient
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Scope
from windrow.jobs import reading
from windrow.jobs.enqueue import enqueue
from windrow.jobs.job import Job
from windrow.jobs.kinds import Kind, Kinds
from windrow.jobs.running import Artifact, Running
from windrow.jobs.worker import Worker, WorkerLimits
from windrow.objects import ObjectStore
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

ACME = Scope("acme", "main")
AT_ONCE = RetryPolicy(timedelta(0), timedelta(0), attempts=None)


class Unlucky:
    """A job in hand that goes wrong at the worst moment."""

    def __init__(self, running: Running, then: Callable[[Artifact], Awaitable[None]]) -> None:
        self._running, self._then = running, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._running, name)

    async def upload(self, artifact: Artifact) -> None:
        await self._running.upload(artifact)
        await self._then(artifact)
        raise RetryableTransient("the lights went out")


async def worked(database: Database, kinds: Kinds, scratch: Path) -> None:
    """A worker takes what there is, and goes when all has ended."""
    wakeups = Wakeups(database.url)
    limits = WorkerLimits(concurrency=2, backoff=AT_ONCE, poll=timedelta(seconds=0.2))
    worker = Worker(database, wakeups, kinds, scratch=scratch, limits=limits)
    async with Background() as background:
        background.start("jobs", worker.run)
        background.start("wakeups", wakeups.run)
        while await _unfinished(database):
            await paused(database)


async def paused(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute("SELECT pg_sleep(0.02)")


async def _unfinished(database: Database) -> bool:
    async with database.system() as tx:
        cursor = await tx.connection.execute("SELECT FROM jobs WHERE finished_at IS NULL LIMIT 1")
        return bool(cursor.rowcount)


@dataclass
class Studio:
    """What a test does and looks at."""

    database: Database
    clips: Clips
    scratch: Path

    @property
    def store(self) -> ObjectStore:
        return self.clips.objects.for_tenant(ACME.tenant_id)

    async def ask(self, source: str, start: float, end: float) -> str:
        """The id of the job that was enqueued."""
        async with self.database.tenant(ACME.tenant_id) as tx:
            wish = Asked(source=source, start=start, end=end)
            return (await enqueue(tx, ACME, NAME, wish)).job_id

    async def work(self) -> None:
        """A worker of its own, until nothing is left to do."""
        await worked(self.database, Kinds(self.clips.kind()), self.scratch)

    async def work_unluckily(self, then: Callable[[Artifact], Awaitable[None]]) -> None:
        """A worker whose first try fails once the artifact is named, and before it is published; `then` something happens."""

        async def run(running: Running, wish: Asked) -> None:
            lucky = running.epoch > 1
            await self.clips.run(running if lucky else cast("Running", Unlucky(running, then)), wish)

        await worked(self.database, Kinds(Kind(NAME, Asked, run)), self.scratch)

    async def made(self, source: str, start: float, end: float) -> Job:
        """A job that was asked for and has been worked on."""
        job_id = await self.ask(source, start, end)
        await self.work()
        return await self.job(job_id)

    async def job(self, job_id: str) -> Job:
        async with self.database.tenant(ACME.tenant_id) as tx:
            job = await reading.find(tx, job_id)
        assert job
        return job

    async def befell(self, job_id: str) -> list[str]:
        """The events of a job, by name."""
        async with self.database.tenant(ACME.tenant_id) as tx:
            return [event.event for event in await reading.events(tx, job_id)]

    async def pause(self) -> None:
        await paused(self.database)

    async def keys(self) -> list[str]:
        return [listed.key async for listed in self.store.list("results")]

    async def manifest(self, job_id: str) -> Any:
        return json.loads(await self.store.get(f"results/{job_id}/clip.json"))
