"""Waiting for a run's batches to be persisted, by us or by others."""

import asyncio
from collections.abc import Awaitable, Callable

from windrow.contracts.errors import Code, Fatal
from windrow.harvest import run as runs
from windrow.harvest.run import Verified
from windrow.harvest.subscriber import Subscriber
from windrow.outbox.lane import Lane
from windrow.outbox.stop import statuses
from windrow.postgres import Database

_LOOK_AGAIN = 0.2


async def until_settled(
    database: Database,
    subscriber: Subscriber,
    lane: Lane,
    run_id: str,
    *,
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Verified:
    """What became of the run's batches, once none is pending. What another subscriber has in hand is waited for."""
    while True:
        await subscriber.drain(lane)
        async with database.tenant(lane.scope.tenant_id) as tx:
            verified = await runs.verify(tx, run_id)
            lanes = await statuses(tx, project=lane.scope.project_id, endpoint=lane.endpoint_id)
        if not verified.pending:
            return verified
        for one in lanes:
            if one.lane == lane.name and one.stopped_at:
                raise _stopped(lane, one.stopped_why)
        await wait(_LOOK_AGAIN)


def _stopped(lane: Lane, why: str | None) -> Fatal:
    return Fatal(
        f"lane {lane} is stopped: {why}",
        code=Code.CORRUPTED,
        hint=f"`windrow outbox retry {lane.endpoint_id}` tries the batch again, `discard` sets it aside",
    )
