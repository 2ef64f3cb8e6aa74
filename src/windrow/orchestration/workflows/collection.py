"""`metadataCollectionWorkflow`: one run of an endpoint, slice by slice, to the verified catalog.

begin     who, what, from where on             MW-10, MW-11   meta-ts
slices    pages into the outbox                MW-12, MW-13   the connector's queue
settle    outbox into the catalog, counts      MW-14 … MW-16  meta-ts
          verified, directive cursor moved
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError, is_cancelled_exception

from windrow.contracts.orders import Begun, FailureReport, Progress, Retry, RunOrder, RunResult, SliceResult
from windrow.contracts.retry import RetryPolicy
from windrow.orchestration import names
from windrow.orchestration.failure import Failure
from windrow.orchestration.lifecycle import State
from windrow.orchestration.workflows.steps import ENDINGS, HEARTBEAT, Stubborn, note, sleeps, stop_if_cancelled

# long before the history's limits; what a run has done is in Postgres, so nothing is lost with it
_SLICES = 200
# how often to look for a free place among the tenant's runs: seldom, where a thousand of them wait
_A_PLACE = RetryPolicy(timedelta(seconds=1), timedelta(seconds=20), attempts=None, spread=0.5)

Noted = Callable[[Progress], None]
Waits = Callable[[Failure, timedelta], Awaitable[None]]


@workflow.defn(name=names.COLLECTION)
class CollectionWorkflow:
    """Its id is the endpoint's mutex: there is no second one beside it."""

    def __init__(self) -> None:
        self._state = State.RUNNING
        self._progress = Progress()
        self._waiting: dict[str, Any] = {}

    @workflow.query
    def progress(self) -> dict[str, Any]:
        """How far it is, and what it waits for."""
        done = self._progress
        return {
            "state": self._state,
            "pages": done.pages,
            "published": done.published,
            "quarantined": done.quarantined,
            "cursor": done.cursor,
            **self._waiting,
        }

    @workflow.run
    async def run(self, order: RunOrder) -> RunResult:
        collection = Collection(order, self._noted, self._waits)
        try:
            return await collection.run()
        except ENDINGS as error:
            await tell_end(collection.order, error)
            if is_cancelled_exception(error):
                raise
            raise Failure.read(error).raised() from error

    def _noted(self, progress: Progress) -> None:
        self._progress = progress

    async def _waits(self, failure: Failure, delay: timedelta) -> None:
        due = (workflow.now() + delay).isoformat()
        self._waiting = {"error_class": failure.error_class, "reason": failure.message, "next_retry_at": due}
        await self._say(State.WAITING_CURSOR if failure.is_conflict else State.RUNNING, failure.message, due)
        await workflow.sleep(delay)
        self._waiting = {}
        await self._say(State.RUNNING, None, None)

    async def _say(self, state: State, reason: str | None, due: str | None) -> None:
        """To the lifecycle, whose state this is."""
        self._state = state
        if parent := workflow.info().parent:
            lifecycle = workflow.get_external_workflow_handle(parent.workflow_id)
            with suppress(ApplicationError):  # a lifecycle that was ended from outside has us cancelled as well
                await lifecycle.signal("collection_is", args=[state, reason, due])


class Collection:
    """The steps of one run, for a workflow of any kind."""

    def __init__(self, order: RunOrder, noted: Noted, waits: Waits) -> None:
        self.order = order
        self._noted, self._waits = noted, waits
        self._steps = Stubborn(order.tenant_id, self._wait)

    async def run(self) -> RunResult:
        """To its end; a failure whose budget is spent is raised."""
        if not self._has_begun():
            begun = await self._steps.call(names.BEGIN, self.order, Begun, queue=names.META_TS)
            if begun.order is None:
                return RunResult(run_id=self.order.run_id, outcome="refused", refused=begun.refused)
            self.order = begun.order
        for _ in range(_SLICES):
            outcome = await self._slice()
            if outcome == "done":
                return await self._steps.call(
                    names.SETTLE, self.order, RunResult, queue=names.META_TS, heartbeat=HEARTBEAT
                )
            if workflow.info().is_continue_as_new_suggested():
                break
        return workflow.continue_as_new(self.order)

    def _has_begun(self) -> bool:
        """One that continued as new is told about once, and is not refused in the middle: its run would stay open."""
        return bool(self.order.connector) and workflow.patched("a-run-begins-once")

    async def _slice(self) -> str:
        """One slice; `waiting` if there was no place for it among the tenant's runs until the history had grown long."""
        looks = 0
        while True:
            silence = timedelta(seconds=self.order.heartbeat_seconds)
            done = await self._steps.call(
                names.HARVEST_SLICE, self.order, SliceResult, queue=self.order.queue, heartbeat=silence
            )
            if done.outcome != "waiting":
                break
            if workflow.info().is_continue_as_new_suggested():
                return done.outcome
            looks += 1
            await workflow.sleep(_A_PLACE.delay(looks, workflow.random().random()) or _A_PLACE.ceiling)
        self.order = replace(self.order, page_size=done.progress.page_size)
        self._noted(done.progress)
        return done.outcome

    async def _wait(self, failure: Failure, delay: timedelta, failed: int) -> None:
        retry = Retry(
            order=self.order,
            error_class=failure.error_class,
            code=failure.code,
            message=failure.message,
            failures=failed,
            seconds=delay.total_seconds(),
        )
        await note(names.NOTE_RETRY, retry)
        stop_if_cancelled()
        await self._waits(failure, delay)


async def tell_end(order: RunOrder, error: BaseException) -> None:
    """A run that did not end well is written down as such, also when it was cancelled."""
    cancelled = is_cancelled_exception(error)
    failure = Failure("", "", "cancelled") if cancelled else Failure.read(error)
    report = FailureReport(
        order=order,
        error_class=failure.error_class,
        code=failure.code,
        message=failure.message,
        hint=failure.hint,
        outcome="cancelled" if cancelled else "failed",
    )
    with suppress(ApplicationError):  # why the run failed is what is to be told, not why that could not be written
        await Stubborn(order.tenant_id, sleeps, ends=True).call(names.FAIL, report, type(None), queue=names.META_TS)
