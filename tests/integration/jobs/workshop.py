"""A worker in this process, its kinds, and the means to look at what became of a job."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from windrow import jobs
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Scope
from windrow.jobs import Job, Kind, Kinds, Running, Status, Terms, Worker, WorkerLimits
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

SCOPE = Scope("acme", "main")
AT_ONCE = RetryPolicy(timedelta(0), timedelta(0), attempts=None)
QUICK = WorkerLimits(
    concurrency=4,
    heartbeat=timedelta(seconds=0.2),
    lease=timedelta(seconds=30),  # no machine is so slow that it loses one by chance
    poll=timedelta(seconds=0.2),
    shutdown=timedelta(seconds=5),
    backoff=AT_ONCE,
)


class Note(BaseModel):
    """A payload."""

    text: str = ""


Handler = Callable[[Running, Note], Awaitable[None]]


def kind(handler: Handler, name: str = "note", **more: Any) -> Kind[Note]:
    return Kind(name, Note, handler, **more)


async def rest(running: Running, note: Note) -> None:
    """Does nothing, well."""


@dataclass(frozen=True)
class Employed:
    """A worker, and the task in which it runs."""

    worker: Worker
    task: asyncio.Task[None]

    async def leave(self) -> None:
        """Asked to go, and gone."""
        self.task.cancel()
        await asyncio.wait([self.task])


@asynccontextmanager
async def working(
    database: Database, scratch: Path, *kinds: Kind[Any], limits: WorkerLimits = QUICK, **more: Any
) -> AsyncIterator["Employed"]:
    """A worker that runs, listening, until the body ends; then it is ended as a process would end it."""
    wakeups = Wakeups(database.url)
    worker = Worker(database, wakeups, Kinds(*kinds), scratch=scratch, limits=limits, **more)
    listening = asyncio.create_task(wakeups.run())
    running = asyncio.create_task(worker.run())
    await wakeups.listening.wait()
    try:
        yield Employed(worker, running)
    finally:
        for task in (running, listening):
            task.cancel()
        await asyncio.gather(running, listening, return_exceptions=True)


async def enqueue(database: Database, text: str = "", *, name: str = "note", scope: Scope = SCOPE, **more: Any) -> str:
    async with database.tenant(scope.tenant_id) as tx:
        return (await jobs.enqueue(tx, scope, name, Note(text=text), **more)).job_id


async def enqueue_many(
    database: Database, count: int, *, name: str = "note", scope: Scope = SCOPE, terms: Terms | None = None
) -> list[str]:
    async with database.tenant(scope.tenant_id) as tx:
        made = await jobs.enqueue_many(
            tx, scope, name, [Note(text=str(number)) for number in range(count)], terms=terms or Terms()
        )
    return [one.job_id for one in made]


async def found(database: Database, job_id: str, tenant: str = SCOPE.tenant_id) -> Job:
    async with database.tenant(tenant) as tx:
        job = await jobs.find(tx, job_id)
    assert job is not None
    return job


async def ended(database: Database, job_id: str, tenant: str = SCOPE.tenant_id) -> Job:
    """The job, once it has come to an end."""
    return await became(database, job_id, lambda job: job.status.is_final, tenant)


async def became(database: Database, job_id: str, true: Callable[[Job], bool], tenant: str = SCOPE.tenant_id) -> Job:
    """The job, once that is true of it."""
    async with asyncio.timeout(60), database.tenant(tenant) as tx:
        while True:
            job = await jobs.find(tx, job_id)
            assert job is not None
            if true(job):
                return job
            await tx.connection.execute("SELECT pg_sleep(0.01)")


async def told(database: Database, job_id: str, tenant: str = SCOPE.tenant_id) -> list[str]:
    """The names of its events."""
    async with database.tenant(tenant) as tx:
        return [event.event for event in await jobs.events(tx, job_id)]


async def grow_old(database: Database, job_id: str) -> None:
    """As if the last heartbeat of the job had been an hour ago."""
    async with database.system() as tx:
        await tx.connection.execute(
            "UPDATE jobs SET last_heartbeat_at = last_heartbeat_at - interval '1 hour' WHERE id = %s", [job_id]
        )


def waiting(job: Job) -> bool:
    return job.status in {Status.QUEUED, Status.SCHEDULED}
