"""Holding a lease while some work runs: renewed in the background, and the work stopped before the lease can end.

    async with leases.held(database, key, holder, ttl=timedelta(seconds=30)) as lease:
        async with database.tenant(tenant) as tx:
            await leases.check(tx, lease)
            ...

The local deadline is counted from before the request was sent, so it is never later than the database's. It stops a
worker that is cut off; it cannot stop one whose whole process was paused, which is what `check` is for.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from windrow.contracts.errors import WindrowError, classify
from windrow.contracts.keys import Key
from windrow.leases import report
from windrow.leases.lease import Held, Lease, Lost, Reason
from windrow.leases.store import acquire, release, renew
from windrow.postgres import Database
from windrow.postgres.cancellation import is_cancelled

# parts of the lease's time: renewed at a third, tried again soon after a failure, stopped with a tenth left to unwind
_RENEW = 1 / 3
_RETRY = 1 / 12
_STOP = 9 / 10


@asynccontextmanager
async def held(database: Database, key: Key, holder: str, *, ttl: timedelta, slots: int = 1) -> AsyncIterator[Lease]:
    """Run the body while the lease holds; Conflict if it cannot be had, or is lost, which cancels the body."""
    sent = _now()
    answer = await acquire(database, key, holder, ttl=ttl, slots=slots)
    if isinstance(answer, Held):
        raise answer.conflict(key)
    watch = _Watch(database, answer)
    limit = asyncio.timeout_at(sent + watch.seconds * _STOP)
    try:
        async with watch.over(limit), limit:
            yield answer
    except TimeoutError:
        if not limit.expired():
            raise  # the body's own
    finally:
        await watch.end(limit)
    if watch.lost:
        raise watch.lost.conflict(answer)


class _Watch:
    """Renews one lease until it is told to stop, moving the limit of the body along."""

    def __init__(self, database: Database, lease: Lease) -> None:
        self.seconds = lease.ttl.total_seconds()
        self._database = database
        self._lease = lease
        self.lost: Lost | None = None

    @asynccontextmanager
    async def over(self, limit: asyncio.Timeout) -> AsyncIterator[None]:
        renewing = asyncio.create_task(self._renew(limit), name=f"renew {self._lease.key}")
        try:
            yield
        finally:
            renewing.cancel()
            # the driver tells the server before it gives up; over a dead network that would last for ever
            await asyncio.wait([renewing], timeout=self.seconds * _RENEW)

    async def end(self, limit: asyncio.Timeout) -> None:
        """Give it back; where that cannot be, it ends by itself."""
        if self.lost:
            return
        if limit.expired():
            self.lost = Lost(Reason.UNREACHABLE)
            report.lost(self._lease, self.lost)
            return
        with suppress(WindrowError, TimeoutError):
            async with asyncio.timeout(self.seconds * _RENEW):
                await release(self._database, self._lease)

    async def _renew(self, limit: asyncio.Timeout) -> None:
        failures = 0
        while self.lost is None and not is_cancelled():
            await asyncio.sleep(self.seconds * (_RETRY if failures else _RENEW))
            sent = _now()
            try:
                answer = await renew(self._database, self._lease)
            except Exception as error:  # whatever it is: tried again until the limit
                failures += 1
                report.retried(classify(error), failures, self.seconds * _RETRY)
                continue
            failures = 0
            if limit.expired() or is_cancelled():  # the body is over, or is being stopped
                return
            if isinstance(answer, Lost):
                self.lost = answer
            limit.reschedule(_now() if self.lost else sent + self.seconds * _STOP)


def _now() -> float:
    return asyncio.get_running_loop().time()
