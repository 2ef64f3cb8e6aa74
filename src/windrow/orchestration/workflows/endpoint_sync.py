"""`endpointSyncWorkflow`: the life of an endpoint's synchronisation (OR-13), from its start by schedule or by hand.

A run that fails recoverably is followed by another, after 1 minute, 2, 4 … 60 (OR-30). What only a person can mend ends
it as Failed. While it lives, the schedule starts no other.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NoReturn

from temporalio import workflow
from temporalio.common import Priority, RetryPolicy, SearchAttributeKey, WorkflowIDReusePolicy
from temporalio.exceptions import ChildWorkflowError, WorkflowAlreadyStartedError, is_cancelled_exception

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.orders import RunOrder, RunResult, SyncOrder, Transition
from windrow.contracts.retry import RUN_BACKOFF
from windrow.contracts.retry import RetryPolicy as Growing
from windrow.orchestration import names
from windrow.orchestration.failure import Failure
from windrow.orchestration.lifecycle import ENDS, FOLLOWS, State
from windrow.orchestration.workflows.steps import ENDINGS, finished, is_cancelled, note, stop_if_cancelled

STATE = SearchAttributeKey.for_keyword("WindrowState")
NEXT_RETRY = SearchAttributeKey.for_datetime("WindrowNextRetry")

# so many runs, then the history begins anew
_RUNS = 50
# another run of the endpoint is under way: looked at again and again
_TURN = Growing(timedelta(seconds=1), timedelta(seconds=15), attempts=None, spread=0.5)


@workflow.defn(name=names.ENDPOINT_SYNC)
class EndpointSyncWorkflow:
    """Pending → Running → Completed, and everything that can come between."""

    @workflow.init
    def __init__(self, order: SyncOrder) -> None:
        self._order = order
        self._state = State(order.state) if order.state else None
        self._transitions, self._failures = order.transitions, order.failures
        self._run_id: str | None = None
        self._reason: str | None = None
        self._next_retry_at: str | None = None
        self._paused = order.paused
        self._hurried = False
        self._recording = asyncio.Lock()

    @workflow.query
    def lifecycle(self) -> dict[str, Any]:
        """Where it stands, why, and when it goes on."""
        return {
            "state": self._state,
            "run_id": self._run_id,
            "reason": self._reason,
            "failures": self._failures,
            "next_retry_at": self._next_retry_at,
            "paused": self._paused,
        }

    @workflow.signal
    def pause(self, reason: str) -> None:
        """No further run begins; the one under way ends."""
        self._paused = reason or "paused"

    @workflow.signal
    def resume(self) -> None:
        """Go on, at once if it was backing off."""
        self._paused = None
        self._hurried = True

    @workflow.signal
    async def collection_is(self, state: str, reason: str | None, due: str | None) -> None:
        """The run under way says how it is, and until when it waits."""
        if self._state not in (State.RUNNING, State.WAITING_CURSOR):
            return
        if self._state == state:
            self._show(reason, due)
        else:
            await self._enter(State(state), reason=reason, due=due)

    @workflow.run
    async def run(self, order: SyncOrder) -> dict[str, Any]:
        try:
            done = await self._live(order)
        except ENDINGS as error:
            if is_cancelled_exception(error) and self._state not in ENDS:
                await self._enter(State.CANCELLED, reason="cancelled")
            await workflow.wait_condition(workflow.all_handlers_finished)
            raise
        await workflow.wait_condition(workflow.all_handlers_finished)
        return done

    async def _live(self, order: SyncOrder) -> dict[str, Any]:
        for _ in range(_RUNS):
            self._run_id = f"{order.endpoint_id}-{workflow.now():%Y%m%dT%H%M%S}-{workflow.uuid4().hex[:6]}"
            if self._state is None:
                await self._enter(State.PENDING, reason=order.trigger)
            try:
                done = await self._in_turn()
            except ChildWorkflowError as error:
                if is_cancelled_exception(error):
                    raise
                failure = Failure.read(error)
                if failure.is_fatal:
                    await self._fail(failure, error)
                await self._back_off(failure)
                if workflow.info().is_continue_as_new_suggested() and workflow.patched("anew-as-suggested"):
                    break
                continue
            if done is None:
                break
            if done.refused:
                await self._fail(Failure(ValidationFailure.__name__, Code.GONE, done.refused))
            await self._enter(State.COMPLETED)
            return {"state": State.COMPLETED, "run_id": done.run_id, "outcome": done.outcome, "settled": done.settled}
        await workflow.wait_condition(workflow.all_handlers_finished)
        return self._anew(order)

    async def _in_turn(self) -> RunResult | None:
        """One run, as soon as nobody holds it back; None if the history has grown long before that."""
        tries = 0
        while True:
            await self._unless_paused()
            stop_if_cancelled()
            try:
                child = await finished(self._start())
            except WorkflowAlreadyStartedError:
                tries += 1
                if workflow.info().is_continue_as_new_suggested():
                    return None
                await self._enter(State.PENDING, reason="another run of this endpoint is under way")
                delay = _TURN.delay(tries, workflow.random().random()) or _TURN.ceiling
                await self._until(lambda: self._paused is not None, delay)
                continue
            await self._enter(State.RUNNING)
            if is_cancelled():
                child.cancel()
            done: RunResult = await child
            return done

    async def _start(self) -> Any:
        order = self._order
        return await workflow.start_child_workflow(
            names.COLLECTION,
            RunOrder(
                tenant_id=order.tenant_id,
                project_id=order.project_id,
                endpoint_id=order.endpoint_id,
                run_id=self._run_id or "",
                trigger=order.trigger,
                correlation_id=workflow.info().run_id,
            ),
            id=names.collection_id(order.tenant_id, order.project_id, order.endpoint_id),
            result_type=RunResult,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            retry_policy=RetryPolicy(maximum_attempts=1),
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            cancellation_type=workflow.ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
            priority=Priority(fairness_key=order.tenant_id),
        )

    async def _fail(self, failure: Failure, error: BaseException | None = None) -> NoReturn:
        await self._enter(State.FAILED, failure=failure)
        raise failure.raised() from error

    async def _back_off(self, failure: Failure) -> None:
        self._failures += 1
        delay = RUN_BACKOFF.delay(self._failures)
        assert delay, "between runs there is no last try"
        due = workflow.now() + delay
        self._hurried = False
        await self._enter(State.BACKOFF, failure=failure, due=due.isoformat())
        await self._until(lambda: self._hurried or self._paused is not None, delay)

    async def _unless_paused(self) -> None:
        if self._paused is not None:
            await self._enter(State.PAUSED, reason=self._paused)
            stop_if_cancelled()
            await workflow.wait_condition(lambda: self._paused is None)

    async def _until(self, condition: Callable[[], bool], delay: timedelta) -> None:
        stop_if_cancelled()
        with suppress(TimeoutError):
            await workflow.wait_condition(condition, timeout=delay)

    def _anew(self, order: SyncOrder) -> NoReturn:
        workflow.continue_as_new(
            replace(
                order,
                failures=self._failures,
                transitions=self._transitions,
                state=self._state,
                paused=self._paused,
            )
        )

    async def _enter(
        self, state: State, *, reason: str | None = None, due: str | None = None, failure: Failure | None = None
    ) -> None:
        """Write the transition down, in Postgres, in the memo and where Temporal is searched."""
        before, order = self._state, self._order
        if before is state:
            return
        assert before is None or state in FOLLOWS[before], f"{before} is not followed by {state}"
        self._state = state
        self._transitions += 1
        self._show(failure.message if failure else reason, due)
        step = Transition(
            tenant_id=order.tenant_id,
            project_id=order.project_id,
            endpoint_id=order.endpoint_id,
            workflow_id=workflow.info().workflow_id,
            number=self._transitions,
            state=state,
            before=before,
            run_id=self._run_id,
            reason=self._reason,
            error_class=failure.error_class if failure else None,
            code=failure.code if failure else None,
            next_retry_at=due,
            failures=self._failures,
        )
        async with self._recording:  # one after the other, as they happened
            await note(names.RECORD_STATE, step)

    def _show(self, reason: str | None, due: str | None) -> None:
        self._reason, self._next_retry_at = reason, due
        workflow.upsert_search_attributes(
            [
                STATE.value_set(self._state or State.PENDING),
                NEXT_RETRY.value_set(datetime.fromisoformat(due)) if due else NEXT_RETRY.value_unset(),
            ]
        )
        workflow.upsert_memo({"failures": self._failures, "next_retry_at": due, "reason": reason})
