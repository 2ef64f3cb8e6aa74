"""The subscriber: persists whatever is published, woken by NOTIFY, polling as the backstop. Any number may run at once."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.harvest.persist import Budget, Persisted, Unpersistable, persist_lane, persist_next
from windrow.outbox.batch import CHANNEL
from windrow.outbox.lane import Lane
from windrow.outbox.stop import stop
from windrow.postgres import Database
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup, Wakeups
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import harvest as told

# what fails so often for a reason that nobody knows fails every time
_TRIES = 5
# the state of the database and not of the batch: to stop every lane because of it would help nobody
_OF_THE_DATABASE = frozenset(
    {Code.DISK_FULL, Code.READ_ONLY, Code.UNAUTHORIZED, Code.FORBIDDEN, Code.SCHEMA_MISSING, Code.CORRUPTED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriberLimits:
    """How many lanes at once, how much in one transaction, how often to look unasked."""

    lanes: int = 2
    budget: Budget = field(default_factory=Budget)
    poll: timedelta = timedelta(seconds=1)


class Subscriber:
    """Made before its wake-ups begin to listen."""

    def __init__(
        self,
        database: Database,
        wakeups: Wakeups,
        *,
        limits: SubscriberLimits | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database, self._jitter = database, jitter
        self._limits = limits or SubscriberLimits()
        self._wakeups = [wakeups.on(CHANNEL) for _ in range(self._limits.lanes)]
        self._failures: dict[Lane, int] = {}

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="meta-worker", directive="subscriber"):
            async with asyncio.TaskGroup() as group:
                for wakeup in self._wakeups:
                    group.create_task(self._serve(wakeup))

    async def drain(self, lane: Lane) -> None:
        """Persist all that this lane has, here and now; what another subscriber has in hand is left to it."""
        while await self._step(lane):
            pass

    async def _serve(self, wakeup: Wakeup) -> None:
        await keep_on(self._step, wakeup, self._limits.poll, self._jitter, _stalled)

    async def _step(self, lane: Lane | None = None) -> bool:
        """One transaction; whether it found work."""
        try:
            done = await self._persist(lane, self._limits.budget)
        except Unpersistable as failure:
            return await self._isolate(failure)
        if done:
            self._failures.pop(done.lane, None)
        return done is not None

    async def _persist(self, lane: Lane | None, budget: Budget) -> Persisted | None:
        if lane:
            return await persist_lane(self._database, lane, budget=budget)
        return await persist_next(self._database, budget=budget)

    async def _isolate(self, failure: Unpersistable) -> bool:
        """Find the one batch that fails; it stops its lane if it fails every time. Those before it are persisted."""
        if failure.tried > 1 and (_is_the_batch(failure.error) or failure.error.code is Code.UNKNOWN):
            try:
                await persist_lane(self._database, failure.lane, budget=Budget(batches=1))
            except Unpersistable as alone:
                return await self._judge(alone)
            return True
        return await self._judge(failure)

    async def _judge(self, failure: Unpersistable) -> bool:
        lane, error = failure.lane, failure.error
        self._failures[lane] = failures = self._failures.get(lane, 0) + 1
        if not (_is_the_batch(error) or (error.code is Code.UNKNOWN and failures >= _TRIES)):
            raise error
        async with self._database.tenant(lane.scope.tenant_id) as tx:
            stopped = await stop(tx, lane, failure.batch.seq, error)
        if stopped:
            self._failures.pop(lane, None)
            told.PERSISTED.add(failure.batch.items, directive=failure.batch.connector, result="failed")
            _say_stopped(failure)
        return True


def _is_the_batch(error: WindrowError) -> bool:
    """Whether it is the batch that cannot be persisted, now or later."""
    return isinstance(error, ValidationFailure | Fatal) and error.code not in _OF_THE_DATABASE


def _say_stopped(failure: Unpersistable) -> None:
    lane, batch, error = failure.lane, failure.batch, failure.error
    with bound(tenant_id=lane.scope.tenant_id, project_id=lane.scope.project_id, run_id=batch.run_id):
        emit(
            "lane.stopped",
            lane=str(lane),
            seq=batch.seq,
            batch_id=batch.batch_id,
            error_class=error.error_class,
            code=error.code,
            reason=error.message,
        )


def _stalled(error: WindrowError, delay: timedelta) -> None:
    emit(
        "subscriber.stalled",
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        retry_in_seconds=delay.total_seconds(),
    )
