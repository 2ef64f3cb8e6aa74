"""Starting by hand: a sync, a backfill, a preview, an export. The same id twice is one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority, RetryPolicy, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.orders import ExportOrder, PreviewOrder, RunOrder, SyncOrder
from windrow.contracts.scope import Actor, checked_name
from windrow.endpoints import Endpoint
from windrow.orchestration import names
from windrow.orchestration.schedules import attributes
from windrow.postgres import Database, audit, load

Q = load(__package__, "starting.sql")

_ONCE = RetryPolicy(maximum_attempts=1)


@dataclass(frozen=True, slots=True)
class Triggered:
    """The workflow that answers a trigger; `again` if this id had been used before."""

    workflow_id: str
    again: bool
    handle: WorkflowHandle[Any, Any]


async def trigger(
    client: Client,
    database: Database,
    endpoint: Endpoint,
    manual_trigger_id: str,
    actor: Actor,
    *,
    reason: str | None = None,
) -> Triggered:
    """One run now, beside the schedule and also while that is paused. Audited with the claim on the id (OR-23)."""
    checked_name("manual trigger", manual_trigger_id)
    scope = endpoint.scope
    workflow_id = names.trigger_id(scope.tenant_id, scope.project_id, endpoint.endpoint_id, manual_trigger_id)
    async with database.tenant(scope.tenant_id) as tx:
        claimed = await tx.value(
            Q.claim_trigger,
            trigger=manual_trigger_id,
            project=scope.project_id,
            endpoint=endpoint.endpoint_id,
            workflow_id=workflow_id,
            actor=actor.name,
        )
        if claimed:
            await audit.record(
                tx,
                actor,
                "schedule.trigger",
                f"endpoints/{endpoint.endpoint_id}",
                project_id=scope.project_id,
                reason=reason,
                details={"manual_trigger_id": manual_trigger_id},
            )
        else:
            found = _same(await tx.row(Q.trigger, trigger=manual_trigger_id), workflow_id, manual_trigger_id)
            if not found["fresh"]:  # Temporal may have forgotten it, and would begin it once more
                return Triggered(workflow_id, again=True, handle=client.get_workflow_handle(workflow_id))
    # also when it was claimed before: who claimed it may have died before it was started
    handle = await _start(
        client,
        names.ENDPOINT_SYNC,
        SyncOrder(
            tenant_id=scope.tenant_id,
            project_id=scope.project_id,
            endpoint_id=endpoint.endpoint_id,
            trigger="manual",
            manual_trigger_id=manual_trigger_id,
        ),
        workflow_id,
        endpoint,
    )
    return Triggered(workflow_id, again=not claimed, handle=handle)


def _same(row: Mapping[str, Any] | None, workflow_id: str, manual_trigger_id: str) -> Mapping[str, Any]:
    if row is None or row["workflow_id"] != workflow_id:
        raise ValidationFailure(
            f"the trigger {manual_trigger_id!r} was used for another endpoint",
            code=Code.REQUEST_REUSED,
            hint="give every request an id of its own",
        )
    return row


async def backfill(client: Client, endpoint: Endpoint, backfill_id: str, run_id: str) -> WorkflowHandle[Any, Any]:
    """The endpoint once more from its beginning, beside live."""
    scope = endpoint.scope
    order = RunOrder(
        tenant_id=scope.tenant_id,
        project_id=scope.project_id,
        endpoint_id=endpoint.endpoint_id,
        run_id=run_id,
        lane=f"backfill:{backfill_id}",
        trigger="backfill",
    )
    whose = f"{scope.tenant_id}/{scope.project_id}/{endpoint.endpoint_id}"
    return await _start(client, names.BACKFILL, order, f"backfill/{whose}/{backfill_id}", endpoint)


async def preview(
    client: Client, order: PreviewOrder, workflow_id: str, endpoint: Endpoint
) -> WorkflowHandle[Any, Any]:
    """A sample, for somebody who waits."""
    return await _start(client, names.PREVIEW, order, workflow_id, endpoint)


async def export(client: Client, order: ExportOrder) -> WorkflowHandle[Any, Any]:
    """The catalog as files."""
    workflow_id = f"export/{order.tenant_id}/{order.project_id}/{order.export_id}"
    return await _start(client, names.EXPORT, order, workflow_id, None)


async def _start(
    client: Client, name: str, order: object, workflow_id: str, endpoint: Endpoint | None
) -> WorkflowHandle[Any, Any]:
    try:
        return await client.start_workflow(
            name,
            order,
            id=workflow_id,
            task_queue=names.META_TS,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            retry_policy=_ONCE,
            search_attributes=attributes(endpoint) if endpoint else None,
            priority=Priority(fairness_key=endpoint.scope.tenant_id) if endpoint else Priority.default,
        )
    except WorkflowAlreadyStartedError:
        return client.get_workflow_handle(workflow_id)
