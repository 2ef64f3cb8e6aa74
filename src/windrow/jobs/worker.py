"""The worker: takes jobs while it has room, runs them, settles them, and leaves nothing behind when it goes.

dispatch    settles what has ended and takes as many as there is room for
heart       one heartbeat for all that is in hand
caretaker   other workers' jobs, when those are gone; scheduled jobs, when they are due
"""

import asyncio
import os
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from windrow.contracts.errors import WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.jobs.dispatch import Bench, Dispatcher
from windrow.jobs.heart import SAFE, Heart
from windrow.jobs.intake import Intake
from windrow.jobs.kinds import Kinds
from windrow.jobs.pressure import Pressure, PressureLimits, load_per_cpu
from windrow.jobs.reading import checked_id
from windrow.jobs.recovery import Caretaker
from windrow.jobs.settle import Settler
from windrow.postgres import Database
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup, Wakeups
from windrow.telemetry import emit

QUEUED, SCHEDULED, CANCELLED = "windrow_jobs_queued", "windrow_jobs_scheduled", "windrow_jobs_cancelled"
BACKOFF = RetryPolicy(timedelta(seconds=5), timedelta(minutes=10), attempts=None, spread=0.5)
_SELDOM = timedelta(hours=1)
# for what was cut off by a shutdown: to kill its child processes and clear its scratch
_UNWINDING = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """How many jobs at once; how often a sign of life, and how long without one until a job is given to another."""

    concurrency: int = os.cpu_count() or 1
    heartbeat: timedelta = timedelta(seconds=10)
    lease: timedelta = timedelta(seconds=30)
    poll: timedelta = timedelta(seconds=1)
    shutdown: timedelta = timedelta(seconds=30)
    backoff: RetryPolicy = BACKOFF
    tenant_most: int | None = None
    pressure: PressureLimits = field(default_factory=PressureLimits)
    keep_scratch: bool = False

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError("a worker without room would never take a job")
        if self.lease < 2 * self.heartbeat:
            raise ValueError(f"a lease of {self.lease} ends with the first heartbeat that is missed")


class Worker:
    """Made before its wake-ups begin to listen. Its name is random: no start of a process can pass for another."""

    def __init__(
        self,
        database: Database,
        wakeups: Wakeups,
        kinds: Kinds,
        *,
        scratch: Path,
        limits: WorkerLimits | None = None,
        measure_load: Callable[[], float] = load_per_cpu,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"worker-{secrets.token_hex(8)}"
        self._kinds, self._jitter = kinds, jitter
        self._group: asyncio.TaskGroup | None = None
        self._limits = limits = limits or WorkerLimits()
        self._wakeup = wakeups.on(QUEUED)
        lease = limits.lease.total_seconds()
        self._dispatcher = Dispatcher(
            Bench(
                database=database,
                kinds=kinds,
                scratch=scratch,
                keep_scratch=limits.keep_scratch,
                concurrency=limits.concurrency,
                safe=lease * SAFE,
                clock=clock,
            ),
            Intake(kinds, self.name, limits.lease, tenant_most=limits.tenant_most),
            Settler(self.name, limits.backoff, jitter),
            Pressure(self.name, limits.pressure, measure=measure_load),
            self._wakeup,
        )
        self._heart = Heart(
            database,
            self.name,
            self._dispatcher.hand,
            wakeups.on(CANCELLED),
            interval=limits.heartbeat,
            safe=lease * SAFE,
        )
        self._caretaker = Caretaker(
            database,
            wakeups.on(SCHEDULED),
            poll=limits.poll,
            jitter=jitter,
            stalled=partial(self._say_stalled, "caretaker"),
        )

    async def run(self) -> None:
        """Until cancelled; then no job is begun any more, and those in hand have the time of the shutdown to end."""
        emit(
            "worker.started",
            worker=self.name,
            kinds=[kind.name for kind in self._kinds],
            concurrency=self._limits.concurrency,
        )
        async with asyncio.TaskGroup() as group:
            self._group = group
            group.create_task(self._heart.run(), name="heart")
            group.create_task(self._caretaker.run(), name="caretaker")
            dispatch = group.create_task(self._dispatch(group, self._wakeup, self._limits.poll), name="dispatch")
            group.create_task(self._dispatch(group, self._dispatcher.help_wanted, _SELDOM), name="second dispatch")
            try:
                await asyncio.wait([dispatch])  # which never ends by itself
            except asyncio.CancelledError:
                await self._drain(dispatch)
                raise

    async def start(self, tenant_id: str, job_id: str) -> bool:
        """Begin one job by its id, out of turn and whatever the limits of its kind, while the worker runs.

        False if there is no room, or the job does not wait, or another worker has it.
        """
        if self._group is None:
            raise ValueError("a worker that does not run can start nothing")
        return await self._dispatcher.start(self._group, tenant_id, checked_id(job_id))

    async def _dispatch(self, group: asyncio.TaskGroup, wakeup: Wakeup, poll: timedelta) -> None:
        step = partial(self._dispatcher.step, group)
        await keep_on(step, wakeup, poll, self._jitter, partial(self._say_stalled, "dispatch"))

    async def _drain(self, dispatch: asyncio.Task[None]) -> None:
        """The loops go on meanwhile: hearts beat, and what ends is settled."""
        dispatcher = self._dispatcher
        emit("worker.draining", worker=self.name, jobs=len(dispatcher.hand))
        dispatcher.leave()
        aborted = 0
        if not await self._is_idle(dispatch, self._limits.shutdown.total_seconds()):
            try:
                aborted = await dispatcher.abort()
            except WindrowError as error:
                self._say_stalled("abort", error, timedelta(0))
            await self._is_idle(dispatch, _UNWINDING)
        emit("worker.stopped", worker=self.name, aborted=aborted)

    async def _is_idle(self, dispatch: asyncio.Task[None], within: float) -> bool:
        """Whether nothing is in hand any more within so many seconds. Nobody settles any more if the dispatch has died."""
        idle = asyncio.create_task(self._dispatcher.idle.wait())
        try:
            await asyncio.wait([idle, dispatch], timeout=within, return_when=asyncio.FIRST_COMPLETED)
            return self._dispatcher.idle.is_set()
        finally:
            idle.cancel()

    def _say_stalled(self, loop: str, error: WindrowError, delay: timedelta) -> None:
        emit(
            "worker.stalled",
            worker=self.name,
            loop=loop,
            error_class=error.error_class,
            code=error.code,
            retry_in_seconds=delay.total_seconds(),
            error=error,
        )
