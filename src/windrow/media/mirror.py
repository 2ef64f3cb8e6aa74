"""The mirror: objects that show where each job stands, made from its row and never from memory (D5).

    write jobs/<folder>/{id}.json  ─►  write its event objects  ─►  delete it from the folders it has left

Every step may be done again, by anybody: a job is never in no folder, and when the dust settles it is in one. A mirror that
slept through its claim may leave a copy behind; it finds that out when it settles, and so does the sweep: the job is then
marked as gone astray and mirrored anew, every folder looked at.
"""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, timedelta

import msgspec

from windrow.contracts.errors import Code, Conflict, WindrowError, classify
from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.job import MediaEvent, MediaJob, as_bytes
from windrow.media.places import Places
from windrow.media.stage import FOLDERS, Stage
from windrow.media.stalling import stalled
from windrow.media.status_changed import JobStatusChanged
from windrow.objects import Head, ObjectStore
from windrow.postgres import Database, Transaction, load
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import media as telemetry

Q = load(__package__, "mirror.sql")

CHANNEL = "windrow_media"
JSON = "application/json"
_POLL = timedelta(seconds=15)
_LEASE = timedelta(seconds=60)
_PASS = timedelta(seconds=40)
_SOON = timedelta(seconds=1)
# somebody else was quicker, which will not last; that something lies where the object should does
_PASSING = frozenset({Code.CONTENTION, Code.CAS_MISMATCH, Code.LEASE_LOST})
_LATER = timedelta(seconds=20)
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job whose objects are ours to write for a while."""

    scope: Scope
    job_id: str
    stage: Stage
    epoch: int


@dataclass(frozen=True, slots=True)
class Mirror:
    """Of one process."""

    database: Database
    places: Places
    wakeup: Wakeup

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="metadata-worker", directive="mirror"):
            await keep_on(self.step, self.wakeup, _POLL, random.random, stalled("mirror"))

    async def step(self) -> int:
        """Mirror what waits; for how many jobs that was tried."""
        claimed = await self._claim()
        async with asyncio.TaskGroup() as group:
            for one in claimed:
                group.create_task(self._attend(one))
        return len(claimed)

    async def forget(self, scope: Scope, job_id: str) -> None:
        """Remove the objects of a job whose row is about to be pruned."""
        store = self.places.store(scope)
        for folder in FOLDERS:
            await store.delete(f"{folder}/{job_id}.json")
        async for listed in store.list(f"events/{job_id}"):
            await store.delete(listed.key)

    async def _claim(self) -> list[Claimed]:
        async with self.database.system() as tx:
            found = await tx.rows(Q.claim, most=_AT_ONCE, lease=_LEASE)
        return [
            Claimed(Scope(row["tenant_id"], row["project_id"]), row["job_id"], Stage(row["stage"]), row["epoch"])
            for row in found
        ]

    async def _attend(self, claimed: Claimed) -> None:
        with bound(tenant_id=claimed.scope.tenant_id, project_id=claimed.scope.project_id):
            try:
                async with asyncio.timeout(_PASS.total_seconds()):
                    await self._mirror(claimed)
            except Exception as error:  # of one job: the others are mirrored all the same
                found = classify(error)
                telemetry.MIRRORED.add(1, outcome=found.error_class)
                emit(
                    "media.mirror_failed",
                    job_id=claimed.job_id,
                    error_class=found.error_class,
                    code=found.code,
                    error=found,
                )
                await self._postpone(claimed, _SOON if found.code in _PASSING else _LATER)

    async def _mirror(self, claimed: Claimed) -> None:
        store = self.places.store(claimed.scope)
        key = f"{claimed.stage.folder}/{claimed.job_id}.json"
        # the object before the row: whoever writes in between makes our guard fail, and not the row's newer word
        head = await store.head(key)
        async with self.database.tenant(claimed.scope.tenant_id) as tx:
            job = await rows.get(tx, claimed.job_id)
            changes = await tx.into(MediaEvent, Q.changes, job_id=claimed.job_id, after=job.mirrored)
        if job.stage.folder != claimed.stage.folder:
            raise Conflict("the job has moved on meanwhile", code=Code.CONTENTION)
        await _write(store, key, as_bytes(job.job), head)
        for change in changes:
            await _write_event(store, job, change)
        await self._leave(claimed, store, _left(job, changes))
        await self._settle(claimed, job)

    async def _leave(self, claimed: Claimed, store: ObjectStore, folders: list[str]) -> None:
        async with self.database.tenant(claimed.scope.tenant_id) as tx:
            if not await tx.value(Q.holds, job_id=claimed.job_id, epoch=claimed.epoch):
                return
        for folder in folders:
            await store.delete(f"{folder}/{claimed.job_id}.json")

    async def _settle(self, claimed: Claimed, job: MediaJob) -> None:
        async with self.database.tenant(claimed.scope.tenant_id) as tx:
            settled = await tx.rows(
                Q.settle, job_id=claimed.job_id, epoch=claimed.epoch, seen=job.mirrored, moves=job.moves
            )
            if not settled:
                await astray(tx, claimed.job_id)
        if not settled:
            raise Conflict("another mirror has taken the job over", code=Code.LEASE_LOST)
        telemetry.MIRRORED.add(1, outcome="ok")

    async def _postpone(self, claimed: Claimed, delay: timedelta) -> None:
        # what cannot even be postponed is anybody's when the claim has ended
        with suppress(WindrowError):
            async with self.database.tenant(claimed.scope.tenant_id) as tx:
                await tx.execute(Q.postpone, job_id=claimed.job_id, epoch=claimed.epoch, delay=delay)


async def astray(tx: Transaction, job_id: str) -> None:
    """Something of the job may lie where it should not: its objects are made anew, and every folder is looked at."""
    await tx.execute(Q.astray, job_id=job_id)


def event_key(job_id: str, change: MediaEvent) -> str:
    """By the moment of the change, which no other change of the job has: whoever writes it again writes the same object."""
    return f"events/{job_id}/{change.at.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}_status_changed.json"


def _left(job: MediaJob, changes: list[MediaEvent]) -> list[str]:
    """The folders that it may still lie in, but for the one where it belongs."""
    gone = FOLDERS if job.mirrored < 0 else [Stage(change.from_stage).folder for change in changes if change.from_stage]
    return [folder for folder in dict.fromkeys(gone) if folder != job.stage.folder]


async def _write(store: ObjectStore, key: str, data: bytes, head: Head | None) -> None:
    if head is None:
        await store.put_if_absent(key, data, content_type=JSON)
    else:
        await store.put_if_matches(key, data, head.etag, content_type=JSON)


async def _write_event(store: ObjectStore, job: MediaJob, change: MediaEvent) -> None:
    said = JobStatusChanged.of(job, change)
    # one that is there was written from the same row
    with suppress(Conflict):
        await store.put_if_absent(event_key(job.job.job_id, change), msgspec.json.encode(said), content_type=JSON)
