"""The sweep: whatever an event should have brought about and did not (an Eventarc caller is always told 200).

By rows, all the time: queued jobs are taken up again when they are due. By folders, seldom: an object without a row becomes
one, and a copy that lies where its job is not is removed by the mirror.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.media.handling import Found, Handled, Outcome
from windrow.media.job import is_job_id
from windrow.media.mirror import astray
from windrow.media.places import Places
from windrow.media.stage import FOLDERS, Stage
from windrow.media.stalling import stalled
from windrow.media.unreadable import Unreadable
from windrow.objects import Listed
from windrow.postgres import Database, load
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit

Q = load(__package__, "sweeping.sql")

_POLL = timedelta(seconds=15)
_AT_ONCE = 16
_CHUNK = 500
# what was written a moment ago is somebody's who is still at it
_YOUNG = timedelta(minutes=5)

Handle = Callable[[Found], Awaitable[Handled]]


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Of one process; any number may run, since whoever handles a job claims it first.

    `own` is looked through even if it has no job yet: its first event may have come while the database was away. What the
    process knows as `unreadable` is not taken up again.
    """

    database: Database
    places: Places
    handle: Handle
    wakeup: Wakeup
    own: Scope | None = None
    unreadable: Unreadable = field(default_factory=Unreadable)

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="metadata-worker", directive="sweep"):
            await keep_on(self.step, self.wakeup, _POLL, random.random, stalled("sweep"))

    async def step(self) -> int:
        """Take up what is due; how many jobs went on by it. One that did not is left for a while, whatever its row says."""
        async with self.database.system() as tx:
            due = await tx.rows(Q.waiting, most=_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            taken = [group.create_task(self._take_up(_found(row))) for row in due]
        if due:
            emit("media.swept", jobs=len(due))
        return sum(one.result().outcome is not Outcome.ERROR for one in taken)

    async def look_through(self, now: datetime | None = None) -> int:
        """Compare every folder with the rows; how many objects were not where they should be."""
        before = (now or datetime.now(UTC)) - _YOUNG
        return sum([await self._look_at(scope, before) for scope in await self._scopes()])

    async def _look_at(self, scope: Scope, before: datetime) -> int:
        with bound(tenant_id=scope.tenant_id, project_id=scope.project_id):
            try:
                return sum([await self._look(scope, folder, before) for folder in FOLDERS])
            except WindrowError as error:  # of one store: the others are looked through all the same
                stalled("sweep")(error, timedelta(0))
                return 0

    async def _take_up(self, found: Found) -> Handled:
        with bound(tenant_id=found.scope.tenant_id, project_id=found.scope.project_id):
            return await self.handle(found)

    async def _scopes(self) -> list[Scope]:
        async with self.database.system() as tx:
            known = await tx.rows(Q.scopes)
        with_jobs = [Scope(row["tenant_id"], row["project_id"]) for row in known]
        own = [self.own] if self.own else []
        return list(dict.fromkeys([*own, *self.places.scopes, *self.unreadable.scopes, *with_jobs]))

    async def _look(self, scope: Scope, folder: str, before: datetime) -> int:
        wrong, gone = 0, self.unreadable.of(scope) if folder == Stage.QUEUED.folder else set()
        async for listed in _chunks(self.places.store(scope).list(folder)):
            named = {job_id: one for one in listed if (job_id := _job_id(folder, one))}
            gone -= named.keys()
            wrong += await self._compare(
                scope, folder, {job_id: one.etag for job_id, one in named.items() if one.updated < before}
            )
        self.unreadable.forget(scope, gone)
        return wrong

    async def _compare(self, scope: Scope, folder: str, etags: dict[str, str]) -> int:
        async with self.database.tenant(scope.tenant_id) as tx:
            rows = {row["job_id"]: row for row in await tx.rows(Q.settled, job_ids=list(etags))}
            strays = [
                job_id for job_id, row in rows.items() if row["is_settled"] and Stage(row["stage"]).folder != folder
            ]
            for job_id in strays:
                await astray(tx, job_id)
        orphans = [job_id for job_id in etags if job_id not in rows] if folder == Stage.QUEUED.folder else []
        for job_id in orphans:
            if not self.unreadable.knows(scope, job_id, etags[job_id]):
                await self._take_up(Found(scope=scope, job_id=job_id))
        return len(strays) + len(orphans)


def _found(row: dict[str, Any]) -> Found:
    return Found(
        scope=Scope(row["tenant_id"], row["project_id"]),
        job_id=row["job_id"],
        attempt=row["attempts"] + 1,
        correlation_id=row["correlation_id"],
    )


def _job_id(folder: str, listed: Listed) -> str | None:
    name = listed.key.removeprefix(f"{folder}/").removesuffix(".json")
    return name if is_job_id(name) and listed.key == f"{folder}/{name}.json" else None


async def _chunks(listing: AsyncIterator[Listed]) -> AsyncIterator[list[Listed]]:
    chunk: list[Listed] = []
    async for listed in listing:
        chunk.append(listed)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    yield chunk
