"""The steps of an endpoint's lifecycle, written down and said."""

from dataclasses import dataclass

from temporalio import activity

from windrow.contracts.orders import Transition
from windrow.orchestration import controls, names
from windrow.orchestration.lifecycle import State
from windrow.postgres import Database
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import orchestration as told


@dataclass(frozen=True, slots=True)
class LifecycleActivities:
    """Run where the workflow is, as local activities."""

    database: Database

    @activity.defn(name=names.RECORD_STATE)
    async def record_state(self, step: Transition) -> None:
        """OR-13, OR-40: every transition is recorded and said."""
        async with self.database.tenant(step.tenant_id) as tx:
            await controls.record(tx, step)
        with bound(
            agent="orchestrator",
            directive=names.ENDPOINT_SYNC,
            tenant_id=step.tenant_id,
            project_id=step.project_id,
            workflow_id=step.workflow_id,
            run_id=step.run_id,
            spec_id=names.SYNC_SPEC,
            correlation_id=activity.info().workflow_run_id,
        ):
            _say(step)


def _say(step: Transition) -> None:
    if step.before is None:
        emit("sync.started", endpoint_id=step.endpoint_id, trigger=step.reason or "schedule")
    emit(
        "sync.state_changed",
        endpoint_id=step.endpoint_id,
        state=step.state,
        before=step.before or "none",
        reason=step.reason,
    )
    if step.state == State.WAITING_CURSOR:
        emit("cursor.advance_requested", endpoint_id=step.endpoint_id, reason=step.reason or "conflict")
    if step.state == State.BACKOFF:
        told.BACKOFFS.add(1, error_class=step.error_class or "unknown")
        emit(
            "sync.backed_off",
            endpoint_id=step.endpoint_id,
            error_class=step.error_class,
            code=step.code,
            reason=step.reason,
            failures=step.failures,
            next_retry_at=step.next_retry_at,
        )
    if step.state == State.FAILED:
        emit(
            "sync.failed",
            endpoint_id=step.endpoint_id,
            error_class=step.error_class,
            code=step.code,
            reason=step.reason,
        )
