"""The conductor: enriched jobs are handed over to the job runtime, and follow what becomes of them there.

    MetadataReady ──(ONE TRANSACTION: enqueued there, Processing here)──► Processing ──(done, failed, cancelled there)──► …

The runtime tells nobody that a job has ended, so that end is looked for now and then; a new stage wakes at once.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from pydantic import BaseModel

from windrow import jobs
from windrow.contracts.errors import Code, ValidationFailure, WindrowError, classify
from windrow.contracts.retry import RetryPolicy
from windrow.jobs import Job, Terms
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.dead_letter import kept
from windrow.media.errors import ProcessingError
from windrow.media.job import MediaJob
from windrow.media.moving import Change, move
from windrow.media.stage import BY_JOB, Stage
from windrow.media.stalling import stalled
from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit

Q = load(__package__, "conducting.sql")

CHANNEL = "windrow_media"
_AT_ONCE = 100
# a job that nobody here takes; somebody else may have it from the work topic, or a worker be started some day
_UNTAKEN = timedelta(days=1)
_AGAIN = RetryPolicy(timedelta(seconds=10), timedelta(minutes=10), attempts=8)


@dataclass(frozen=True, slots=True)
class Ordered:
    """A job for the runtime."""

    kind: str
    payload: BaseModel
    terms: Terms = field(default_factory=Terms)


# what is to be done with an enriched job; None: nothing that this installation does
Order = Callable[[MediaJob], Ordered | None]


@dataclass(slots=True)
class Conductor:
    """Of one process; any number may run."""

    database: Database
    order: Order
    topics: Topics
    wakeup: Wakeup
    poll: timedelta = timedelta(seconds=2)
    _follows_at: float = 0.0

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="metadata-worker", directive="conductor"):
            await keep_on(self._turn, self.wakeup, self.poll, random.random, stalled("conductor"))

    async def step(self) -> bool:
        """One pass; whether there was something to do."""
        return bool(await self._hand_over_all() + await self._follow())

    async def _turn(self) -> bool:
        """One pass. What ended is looked for once a poll and not at every wake-up: that look costs by the jobs under way."""
        handed, now = await self._hand_over_all(), asyncio.get_running_loop().time()
        if now < self._follows_at:
            return bool(handed)
        followed = await self._follow()
        self._follows_at = now if followed else now + 0.5 * self.poll.total_seconds()
        return bool(handed + followed)

    async def _hand_over_all(self) -> int:
        handed = 0
        while handed < _AT_ONCE and not is_cancelled() and await self._hand_over_one():
            handed += 1
        return handed

    async def _hand_over_one(self) -> bool:
        async with self.database.system() as tx:
            row = await tx.row(Q.enriched)
            if row is None:
                return False
            await tx.become(row["tenant_id"])
            try:
                job = await rows.get(tx, row["job_id"])
            except ValidationFailure as error:
                # alone: behind it are those of everybody else
                await tx.execute(Q.set_aside, job_id=row["job_id"], delay=_UNTAKEN)
                _say_delayed(row["job_id"], error, _UNTAKEN)
                return True
            with bound(tenant_id=job.tenant_id, project_id=job.project_id, correlation_id=job.job.correlation_id):
                await self._hand_over(tx, job)
        return True

    async def _hand_over(self, tx: Transaction, job: MediaJob) -> None:
        try:
            async with tx.savepoint():
                ordered = self.order(job)
                if ordered is None:
                    await _look_later(tx, job, _UNTAKEN, counted=False)
                    return
                # the key is for people: it is this transaction that makes it one job
                enqueued = await jobs.enqueue(
                    tx,
                    job.scope,
                    ordered.kind,
                    ordered.payload,
                    terms=ordered.terms,
                    dedupe_key=f"media-{job.job.job_id}-{job.moves}",
                )
                await _went(tx, self.topics, job, Change(Stage.PROCESSING, runtime_job_id=enqueued.job_id))
        except Exception as raised:
            await self._refused(tx, job, classify(raised))

    async def _refused(self, tx: Transaction, job: MediaJob, error: WindrowError) -> None:
        """It could not be placed now, which may pass; but not for ever, and not if the order itself is wrong."""
        delay = None if isinstance(error, ValidationFailure) else _AGAIN.delay(job.attempts + 1)
        if delay is None:
            failed = ProcessingError(error.message, code=error.code, hint=error.hint)
            await _went(tx, self.topics, job, Change(Stage.FAILED, error=kept(failed)))
            return
        await _look_later(tx, job, delay, counted=True)
        _say_delayed(job.job.job_id, error, delay)

    async def _follow(self) -> int:
        async with self.database.system() as tx:
            ended = await tx.rows(Q.ended, most=_AT_ONCE)
        followed = 0
        for row in ended:
            if is_cancelled():
                break
            followed += await self._end(row["tenant_id"], row["job_id"])
        return followed

    async def _end(self, tenant_id: str, job_id: str) -> bool:
        async with self.database.tenant(tenant_id) as tx:
            try:
                job = await rows.find(tx, job_id)
            except ValidationFailure as error:
                _say_delayed(job_id, error, self.poll)
                return False
            if job is None or job.stage is not Stage.PROCESSING or job.job.runtime_job_id is None:
                return False
            worked = await jobs.find(tx, job.job.runtime_job_id)
            if worked and not worked.status.is_final:
                return False  # somebody has it tried again
            with bound(tenant_id=job.tenant_id, project_id=job.project_id, correlation_id=job.job.correlation_id):
                return await _went(tx, self.topics, job, _end_of(worked))


async def _look_later(tx: Transaction, job: MediaJob, delay: timedelta, *, counted: bool) -> None:
    await tx.execute(Q.look_later, job_id=job.job.job_id, moves=job.moves, delay=delay, counted=counted)


async def _went(tx: Transaction, topics: Topics, seen: MediaJob, change: Change) -> bool:
    moved = await move(tx, topics, seen, change)
    if moved:
        tx.after_commit(partial(_say, seen, moved))
    return moved is not None


def _end_of(worked: Job | None) -> Change:
    """What the end of the runtime's job is to the media job."""
    if worked is None:
        gone = ProcessingError("the runtime knows its job no more", code=Code.GONE, hint="retry the media job")
        return Change(Stage.FAILED, error=kept(gone))
    stage = BY_JOB[worked.status]
    if stage is not Stage.FAILED:
        return Change(stage)
    failed = kept(ProcessingError(worked.error or "the job has failed"))
    return Change(stage, error=failed | {"code": worked.failure_code})


def _say(seen: MediaJob, moved: MediaJob) -> None:
    error = moved.job.error or {}
    emit(
        "media.moved",
        job_id=moved.job.job_id,
        request_id=moved.job.request_id,
        from_stage=seen.stage,
        to_stage=moved.stage,
        runtime_job_id=moved.job.runtime_job_id,
        code=error.get("code"),
        reason=error.get("message"),
    )


def _say_delayed(job_id: str, error: WindrowError, delay: timedelta) -> None:
    emit(
        "media.delayed",
        job_id=job_id,
        error_class=error.error_class,
        code=error.code,
        error=error,
        retry_in_seconds=delay.total_seconds(),
    )
