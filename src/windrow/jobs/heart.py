"""Heartbeats: one statement a tick for all jobs in hand; and what the answer says about them.

A job that is not answered for is another's. One that cannot be asked about is stopped by its own limit before its lease
ends. A cancellation is heard of here too: at once where its wake-up arrives, at the next tick where not.
"""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import timedelta

from windrow.contracts.errors import WindrowError, classify
from windrow.jobs.execution import Execution
from windrow.jobs.failure import End
from windrow.jobs.settle import fences
from windrow.postgres import Database, load
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)

DEGRADED = "HEARTBEAT_DEGRADED"
# RR-1: more than so many failures in a row are worth a warning
_FAILURES = 3
# after a failure the next try comes sooner: there must be several before the leases end
_SOONER = 1 / 4
# of a lease: what is left is for unwinding before the database gives the job to another
SAFE = 9 / 10


class Heart:
    """Beats for one worker. `hand` is what it has in hand; those that have ended wait to be settled."""

    def __init__(
        self,
        database: Database,
        worker: str,
        hand: Mapping[tuple[str, int], Execution],
        cancelled: Wakeup,
        *,
        interval: timedelta,
        safe: float,
    ) -> None:
        self._database, self._worker, self._hand, self._cancelled = database, worker, hand, cancelled
        self._interval = interval.total_seconds()
        self._safe = safe
        self._failures = 0

    async def run(self) -> None:
        """Until cancelled."""
        while not is_cancelled():
            await self._cancelled.wait(self._interval * (_SOONER if self._failures else 1))
            if self._hand:
                await self.beat()
        raise asyncio.CancelledError

    async def beat(self) -> None:
        """One tick."""
        held = dict(self._hand)
        for execution in held.values():
            execution.watch()
        sent = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._interval):
                answered = await self.ask(held.values())
        except (WindrowError, TimeoutError) as error:
            self._failed(classify(error), len(held))
            return
        self._failures = 0
        told.HEARTBEATS.add(len(answered), outcome="ok")
        for key, execution in held.items():
            cancelled = answered.get(key)
            if cancelled is None:
                execution.stop(End.LOST, "superseded")
            elif cancelled:
                execution.stop(End.CANCELLED, "asked for")
            else:
                execution.renew(sent + self._safe)

    async def ask(self, held: Iterable[Execution]) -> dict[tuple[str, int], bool]:
        """One heartbeat for these; which of them are still ours, and whether they are asked to stop."""
        async with self._database.system(Q.careful) as tx:
            rows = await tx.rows(Q.heartbeat, **fences(held))
        return {(row["job_id"], row["epoch"]): row["cancelled"] for row in rows}

    def _failed(self, error: WindrowError, jobs: int) -> None:
        self._failures += 1
        told.HEARTBEATS.add(jobs, outcome="failed")
        if self._failures == _FAILURES + 1:
            emit(
                "heartbeat.degraded",
                worker=self._worker,
                code=DEGRADED,
                failures=self._failures,
                jobs=jobs,
                error_class=error.error_class,
                error=error,
            )
