"""How a workflow calls an activity, and what it does when that fails: tries again by the class of the error, or gives up."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import ActivityError, is_cancelled_exception

from windrow.contracts.orders import RunOrder
from windrow.contracts.retry import TRANSIENT
from windrow.orchestration.failure import Failure

T = TypeVar("T")

# A failure of ours is the workflow's to judge; the server only tries again, and only so often, when a worker was not
# heard of any more. After that it is a failure as any other, with a budget, and somebody sees it.
_WORKER_LOST = RetryPolicy(
    initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30), maximum_attempts=4
)
_UNTIL_WRITTEN = RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=10))
HEARTBEAT = timedelta(seconds=90)
LONGEST_SLICE = timedelta(minutes=10)

# how a workflow can end badly. Nothing wider: a worker that takes one out of its memory ends its coroutine too, and one
# that continues as new has not ended
ENDINGS = (Exception, asyncio.CancelledError)

Waits = Callable[[Failure, timedelta, int], Awaitable[None]]


class Stubborn:
    """Tries an activity again as its errors' classes ask for. Each class has a budget, which a success gives back."""

    def __init__(self, tenant_id: str, waits: Waits, *, ends: bool = False) -> None:
        """`ends`: for what belongs to the end of a workflow, also of one that was cancelled."""
        self._priority, self._waits, self._ends = Priority(fairness_key=tenant_id), waits, ends
        self._failures: dict[str, int] = {}

    @property
    def failures(self) -> int:
        return sum(self._failures.values())

    async def call(
        self, name: str, given: object, result: type[T], *, queue: str, heartbeat: timedelta | None = None
    ) -> T:
        """The activity's result. Nothing is begun for a workflow that was cancelled; a spent budget is raised."""
        while True:
            if not self._ends:
                stop_if_cancelled()
            try:
                asked = replace(given, retry_attempt=self.failures) if isinstance(given, RunOrder) else given
                done = await call(name, asked, result, queue=queue, heartbeat=heartbeat, priority=self._priority)
            except ActivityError as error:
                if is_cancelled_exception(error):
                    raise
                await self._after(Failure.read(error), error)
                continue
            self._failures.clear()
            return done

    async def _after(self, failure: Failure, error: BaseException) -> None:
        failed = self._failures[failure.error_class] = self._failures.get(failure.error_class, 0) + 1
        # the end of a run has to be told, whatever is in the way of telling it
        delay = TRANSIENT.delay(failed) if self._ends else failure.delay(failed, workflow.random().random())
        if delay is None:
            raise failure.raised() from error
        await self._waits(failure, delay, failed)


async def call(
    name: str,
    given: object,
    result: type[T],
    *,
    queue: str,
    heartbeat: timedelta | None = None,
    priority: Priority | None = None,
) -> T:
    """One activity. One that tells of itself while it runs may take long."""
    done: T = await workflow.execute_activity(
        name,
        given,
        result_type=result,
        task_queue=queue,
        start_to_close_timeout=LONGEST_SLICE if heartbeat else timedelta(minutes=2),
        heartbeat_timeout=heartbeat,
        retry_policy=_WORKER_LOST,
        priority=priority or Priority.default,
        # a cancelled slice saves where it is before it ends
        cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    )
    return done


async def note(name: str, given: Any) -> None:
    """A short step that is done where the workflow is: for what only has to be written down, and then is."""
    await finished(
        workflow.execute_local_activity(
            name, given, start_to_close_timeout=timedelta(seconds=10), retry_policy=_UNTIL_WRITTEN
        )
    )


async def finished(work: Awaitable[T]) -> T:
    """What must not be left half done. A cancellation that comes meanwhile waits: `is_cancelled` tells of it."""
    working = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        return await working


async def sleeps(_failure: Failure, delay: timedelta, _failed: int) -> None:
    """Wait, without telling anybody."""
    await workflow.sleep(delay)


def is_cancelled() -> bool:
    """Whether this workflow was asked to end. What was in hand may have come to its good end nevertheless."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def stop_if_cancelled() -> None:
    """Where a workflow may stop."""
    if is_cancelled():
        raise asyncio.CancelledError
