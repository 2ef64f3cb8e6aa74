"""The caretaker: jobs whose worker is gone go back into the line, and scheduled ones join it when they are due.

A loop in every worker, never a job itself; it knows no kinds, so it takes care of those that nobody here can run. Only the
database's clock decides. It wakes when the next lease could end or the next job is due, and polls besides.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from windrow.contracts.errors import WindrowError
from windrow.jobs.job import Status
from windrow.postgres import Database, Transaction, load
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)

_AT_ONCE = 200
# what the answer took to arrive must not make us look just too early
_SLACK = 0.005
_REASONS = {Status.QUEUED: "stale", Status.FAILED: "exhausted", Status.CANCELLED: "cancelled"}


async def recover(database: Database, *, most: int = _AT_ONCE) -> int:
    """Requeue, or give up, what nobody has in hand any more, of all tenants; how many."""
    async with database.system(Q.careful) as tx:
        return await _recover(tx, most)


async def promote(database: Database, *, most: int = _AT_ONCE) -> int:
    """Queue what is due, of all tenants; how many."""
    async with database.system(Q.careful) as tx:
        return await _promote(tx, most)


async def _recover(tx: Transaction, most: int) -> int:
    rows = await tx.rows(Q.recover, most=most)
    if rows:
        tx.after_commit(lambda: _say(rows))
    return len(rows)


async def _promote(tx: Transaction, most: int) -> int:
    row = await tx.row(Q.promote, most=most)
    assert row, "a count always answers"
    promoted: int = row["promoted"]
    return promoted


class Caretaker:
    """Of one worker."""

    def __init__(
        self,
        database: Database,
        scheduled: Wakeup,
        *,
        poll: timedelta,
        jitter: Callable[[], float],
        stalled: Callable[[WindrowError, timedelta], None],
    ) -> None:
        self._database, self._scheduled, self._poll = database, scheduled, poll
        self._jitter, self._stalled = jitter, stalled
        self._alarm: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Until cancelled."""
        try:
            await keep_on(self.look, self._scheduled, self._poll, self._jitter, self._stalled)
        finally:
            self._set_alarm(None)

    async def look(self) -> bool:
        """One pass; whether there may be more to do at once."""
        async with self._database.system(Q.careful) as tx:
            found = max(await _recover(tx, _AT_ONCE), await _promote(tx, _AT_ONCE))
            seconds: float | None = await tx.value(Q.next_moment)
        self._set_alarm(seconds)
        return found >= _AT_ONCE

    def _set_alarm(self, seconds: float | None) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
        if seconds is not None and seconds < self._poll.total_seconds():
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(max(0.0, seconds) + _SLACK, self._scheduled.ring)


def _say(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        told.RECOVERED.add(1, reason=_REASONS[Status(row["status"])])
        emit(
            "job.recovered",
            tenant_id=row["tenant_id"],
            project_id=row["project_id"],
            job_id=row["job_id"],
            kind=row["kind"],
            attempt=row["attempt"],
            status=row["status"],
            lost_worker=row["worker"],
        )
