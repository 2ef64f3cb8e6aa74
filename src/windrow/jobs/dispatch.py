"""Dispatch: settle what has ended and fill the room there is, in one transaction, however many jobs that is.

Two may be under way at once: while one waits for the database, the jobs of the other run. The second takes part only
when there is so much to do.

What is in hand is what the database knows as ours: a job counts until its end is written, so that never more than
`concurrency` jobs are processing in our name.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from windrow.jobs.execution import Execution
from windrow.jobs.failure import End, Outcome
from windrow.jobs.intake import Claim, Intake
from windrow.jobs.kinds import Kinds
from windrow.jobs.pressure import Pressure
from windrow.jobs.settle import NOTHING_TO_WRITE, Ended, Settler, fences, say_gone
from windrow.postgres import Database, load
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where executions run, how many at once, and for how many seconds after a sign of life a job is surely still ours."""

    database: Database
    kinds: Kinds
    scratch: Path
    keep_scratch: bool
    concurrency: int
    safe: float
    clock: Callable[[], float] = time.monotonic


class Dispatcher:
    """Of one worker. `hand` is what it has in hand, by job and epoch: a job that went stale here may come back here."""

    def __init__(self, bench: Bench, intake: Intake, settler: Settler, pressure: Pressure, wakeup: Wakeup) -> None:
        self._bench, self._intake, self._settler, self._pressure = bench, intake, settler, pressure
        self._wakeup, self.help_wanted = wakeup, Wakeup()
        self.hand: dict[tuple[str, int], Execution] = {}
        self.idle = asyncio.Event()
        self.idle.set()
        self._ended: list[Ended] = []
        self._under_way, self._step_over = 0, asyncio.Event()
        self._coming = 0  # room that what is under way may fill
        self._leaving = False

    async def step(self, group: asyncio.TaskGroup) -> bool:
        """Settle, take, begin; whether any job was taken."""
        ended, self._ended = self._ended, []
        room = min(self._room() + len(ended), -(-self._bench.concurrency // 2))
        if not room and not ended:
            return False  # a job that ends wakes us
        sent = _now()
        self._coming += room
        self._under_way += 1
        try:
            claims = await self._exchange(ended, room)
        except BaseException:
            self._ended = [replace(one, again=True) for one in ended] + self._ended
            self._intake.forget()
            raise
        finally:
            self._coming -= room
            self._under_way -= 1
            self._step_over.set()
        self._put_down(ended)
        self._begin(group, claims, sent)
        if claims and self._room():
            self.help_wanted.ring()
        return bool(claims)

    async def start(self, group: asyncio.TaskGroup, tenant_id: str, job_id: str) -> bool:
        """One job by its id; False if there is no room, or it is not waiting."""
        while self._room() < 1:
            if not self._under_way:
                return False
            self._step_over.clear()
            await self._step_over.wait()  # which may not fill the room that it has reserved
        sent = _now()
        self._coming += 1
        try:
            async with self._bench.database.system(Q.careful) as tx:
                claim = await self._intake.start(tx, tenant_id, job_id)
        finally:
            self._coming -= 1
        self._begin(group, [claim] if claim else [], sent)
        return claim is not None

    def leave(self) -> None:
        """Take nothing more; what is in hand may end, or be handed back at a safe point."""
        self._leaving = True
        for execution in self.hand.values():
            execution.leaving = True
        self._wakeup.ring()

    async def abort(self) -> int:
        """Cut off what is still running, and say so where it can be said; its lease has to run out. How many."""
        over = {one.key for one in self._ended}
        running = [execution for key, execution in self.hand.items() if key not in over]
        try:
            async with self._bench.database.system(Q.careful) as tx:
                await tx.execute(Q.abort, **fences(running), worker=self._settler.worker)
        finally:
            for execution in running:
                execution.stop(End.ABORTED, "shutdown")
        return len(running)

    def _room(self) -> int:
        return 0 if self._leaving else max(0, self._bench.concurrency - len(self.hand) - self._coming)

    async def _exchange(self, ended: list[Ended], room: int) -> list[Claim]:
        async with self._bench.database.system(Q.careful) as tx:
            if ended:
                await self._settler.settle(tx, ended)
            if self._leaving or await self._pressure.is_high(tx):
                return []
            return await self._intake.take(tx, room)

    def _begin(self, group: asyncio.TaskGroup, claims: Iterable[Claim], sent: float) -> None:
        bench = self._bench
        for claim in claims:
            execution = Execution(
                claim,
                bench.kinds.find(claim.kind),
                bench.database,
                bench.scratch,
                safe_until=sent + bench.safe,
                keep_scratch=bench.keep_scratch,
                clock=bench.clock,
            )
            self.hand[claim.job_id, claim.epoch] = execution
            if self._leaving:  # it came while we were asked to go
                self._ended.append(Ended(execution, Outcome(End.HANDED_BACK), 0.0))
                self._wakeup.ring()
            else:
                group.create_task(self._run(execution))
        self._count()

    async def _run(self, execution: Execution) -> None:
        claim = execution.claim
        emit(
            "job.started",
            tenant_id=claim.tenant_id,
            project_id=claim.project_id,
            job_id=claim.job_id,
            kind=claim.kind,
            attempt=claim.attempt,
            epoch=claim.epoch,
            worker=self._settler.worker,
        )
        began = time.monotonic()
        outcome = await execution.run()
        ended = Ended(execution, outcome, time.monotonic() - began)
        if outcome.end in NOTHING_TO_WRITE:
            say_gone(ended)
            self._put_down([ended])
        else:
            self._ended.append(ended)
        self._wakeup.ring()
        if self._under_way:
            self.help_wanted.ring()

    def _put_down(self, ended: list[Ended]) -> None:
        for one in ended:
            del self.hand[one.key]
        self._count()

    def _count(self) -> None:
        told.INFLIGHT.set(len(self.hand))
        if self.hand:
            self.idle.clear()
        else:
            self.idle.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
