"""Taking jobs: which queues there are, how far each was read, and the statement that takes from them.

Looking for queues costs more when vacuum cannot clear away what was begun earlier. So it is done as often as it is cheap,
and in between every queue is read on from where it was left.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from windrow.jobs.fair import Headroom, Queue, Take, plan
from windrow.jobs.kinds import Kinds
from windrow.postgres import Transaction, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)

# so much of the time may go into looking for queues
_LOOKING = 1 / 20
_MOST_QUEUES = 1000


class Claim(NamedTuple):
    """A job that was acquired, and the epoch under which we have it."""

    tenant_id: str
    project_id: str
    job_id: str
    kind: str
    priority: int
    seq: int
    payload: str
    attempt: int
    epoch: int
    artifact: dict[str, Any] | None
    correlation_id: str | None


class Intake:
    """What one worker takes."""

    def __init__(
        self,
        kinds: Kinds,
        worker: str,
        lease: timedelta,
        *,
        tenant_most: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kinds, self._tenant_most, self._clock = kinds, tenant_most, clock
        self._holder = {"worker": worker, "lease": lease}
        self._limited = {kind.name: kind.most for kind in kinds if kind.most is not None}
        self._queues: dict[tuple[str, str, int], Queue] = {}
        self._look_at = 0.0
        self._look_from = ""
        self._served = ""

    async def take(self, tx: Transaction, room: int) -> list[Claim]:
        """Up to so many jobs, now processing under our name. As the system, after `careful`."""
        running = await self._running(tx)
        if self._queues and self._clock() < self._look_at and (claims := await self._try(tx, room, running)):
            return claims
        await self._look(tx)
        claims = await self._try(tx, room, running)
        if self._queues and not claims:
            told.ACQUIRE_FAILS.add(1)
        return claims

    async def start(self, tx: Transaction, tenant_id: str, job_id: str) -> Claim | None:
        """One job by its id, if it waits; a fresh lease of another's means that it is in good hands."""
        known = [kind.name for kind in self._kinds]
        found = await tx.into(Claim, Q.start, tenant=tenant_id, id=job_id, known=known, **self._holder)
        if found:
            return found[0]
        row = await tx.row(Q.why_not, tenant=tenant_id, id=job_id)
        told.ACQUIRE_FAILS.add(1)
        if row and row["fresh"]:
            told.DUPLICATE_SKIPS.add(1)
        emit("job.skipped", tenant_id=tenant_id, job_id=job_id, reason=row["status"] if row else "not there")
        return None

    def forget(self) -> None:
        """What was taken was not committed: look anew."""
        self._queues.clear()

    async def _try(self, tx: Transaction, room: int, running: list[dict[str, Any]]) -> list[Claim]:
        takes = plan(self._queues.values(), room, self._served, self._headroom(running))
        if not takes:
            return []
        claims = await tx.into(Claim, Q.acquire, **_columns(takes), **self._holder)
        self._learn(takes, claims)
        return claims

    async def _look(self, tx: Transaction) -> None:
        began = self._clock()
        rows = await tx.into(Queue, Q.queues, after=self._look_from, most=_MOST_QUEUES)
        known = {kind.name for kind in self._kinds}
        self._queues = {queue.key: queue for queue in rows if queue.kind in known}
        # of very many tenants some are seen this time, and the others the next
        self._look_from = rows[-1].tenant_id if len(rows) == _MOST_QUEUES else ""
        now = self._clock()
        self._look_at = now + (now - began) / _LOOKING

    async def _running(self, tx: Transaction) -> list[dict[str, Any]]:
        """What is in hand anywhere, where that matters; nobody else takes anything limited before this commits."""
        if not self._limited and self._tenant_most is None:
            return []
        await tx.execute(Q.lock_limits)
        return await tx.rows(Q.in_hand)

    def _headroom(self, running: list[dict[str, Any]]) -> Headroom:
        kinds = dict(self._limited)
        most = self._tenant_most
        tenants = {} if most is None else {queue.tenant_id: most for queue in self._queues.values()}
        for row in running:
            if row["kind"] in kinds:
                kinds[row["kind"]] -= row["running"]
            if row["tenant_id"] in tenants:
                tenants[row["tenant_id"]] -= row["running"]
        return Headroom(kinds, tenants)

    def _learn(self, takes: Sequence[Take], claims: Sequence[Claim]) -> None:
        last: dict[tuple[str, str, int], int] = {}
        count: dict[tuple[str, str, int], int] = {}
        for claim in claims:
            key = (claim.tenant_id, claim.kind, claim.priority)
            last[key] = max(last.get(key, 0), claim.seq)
            count[key] = count.get(key, 0) + 1
        for take in takes:
            key = take.queue.key
            if count.get(key, 0) < take.most:
                self._queues.pop(key, None)
                self._look_at = 0.0
            else:
                self._queues[key] = Queue(*key, floor=last[key] + 1)
            if key in count:
                self._served = take.queue.tenant_id


def _columns(takes: Sequence[Take]) -> dict[str, list[Any]]:
    return {
        "tenants": [take.queue.tenant_id for take in takes],
        "kinds": [take.queue.kind for take in takes],
        "priorities": [take.queue.priority for take in takes],
        "floors": [take.queue.floor for take in takes],
        "most": [take.most for take in takes],
    }
