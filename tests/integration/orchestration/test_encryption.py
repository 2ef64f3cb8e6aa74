"""Histories on a real Temporal: with a key they hold no readable word of what the business said."""

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest, GetWorkflowExecutionHistoryRequest
from temporalio.client import Client, Interceptor, WorkflowHandle
from temporalio.testing import TimeSkipper
from temporalio.worker import UnsandboxedWorkflowRunner, Worker
from tests.integration.harvest.shop import ACME, Shop
from tests.integration.orchestration.conftest import made_namespace
from tests.integration.orchestration.stage import staged, until_so
from tests.integration.orchestration.tea import SECRET, Cause, Leaves, TeaWorkflow, brew

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient
from windrow.endpoints import Endpoint
from windrow.orchestration import schedules, search_attributes
from windrow.orchestration.codec import is_sealed, key_id_of
from windrow.orchestration.connect import TemporalTarget, connect_to
from windrow.orchestration.controls import Controls
from windrow.orchestration.payload_keys import PayloadKeys, new_key
from windrow.orchestration.schedules import Rebuilt
from windrow.postgres import Database
from windrow.vault import Secret

OLD, NEW = new_key("old", os.urandom), new_key("new", os.urandom)
Tea = WorkflowHandle[TeaWorkflow, Leaves]


async def client_with(address: str, *keys: str, interceptors: Sequence[Interceptor] = (), **target: Any) -> Client:
    sealed = PayloadKeys.parse(Secret(" ".join(keys))) if keys else None
    return await connect_to(TemporalTarget(address=address, payload_keys=sealed, **target), interceptors=interceptors)


async def begun(client: Client) -> Tea:
    name = f"tea-{uuid.uuid4().hex}"
    return await client.start_workflow(
        TeaWorkflow.run,
        Leaves(SECRET, 5),
        id=name,
        task_queue=name,
        memo={"note": SECRET},
        static_summary=SECRET,
        # a task that a worker took with it when it ended comes back so soon
        task_timeout=timedelta(seconds=2),
    )


def serving(client: Client, tea: Tea) -> Worker:
    return Worker(
        client,
        task_queue=tea.id,
        workflows=[TeaWorkflow],
        activities=[brew],
        workflow_runner=UnsandboxedWorkflowRunner(),
        # nothing waits for a worker because it was the last: the next is another one
        max_cached_workflows=0,
    )


async def kept(client: Client, tea: Tea) -> bytes:
    """All that the server keeps of a workflow and shows to whoever may look, as it is on the wire."""
    history = await client.workflow_service.get_workflow_execution_history(
        GetWorkflowExecutionHistoryRequest(namespace="default", execution={"workflow_id": tea.id})  # type: ignore[arg-type]
    )
    described = await client.workflow_service.describe_workflow_execution(
        DescribeWorkflowExecutionRequest(namespace="default", execution={"workflow_id": tea.id})  # type: ignore[arg-type]
    )
    return history.SerializeToString() + described.SerializeToString()


async def until(tea: Tea, wanted: "EventType.ValueType") -> None:
    """Wait for an event of the history."""
    async for event in tea.fetch_history_events(wait_new_event=True):
        if event.event_type == wanted:
            return
    raise AssertionError(f"it ended without {EventType.Name(wanted)}")


@pytest.mark.parametrize("keys", [(), (NEW,)], ids=["plain", "sealed"])
async def test_a_history_holds_readable_business_data_exactly_when_no_key_is_set(
    temporal_address: str, keys: tuple[str, ...]
) -> None:
    cause = Cause()
    client = await client_with(temporal_address, *keys, interceptors=[cause])
    tea = await begun(client)
    async with serving(client, tea):
        await tea.signal(TeaWorkflow.arrive, f"the sultan of {SECRET}")
        assert await tea.result() == Leaves(f"{SECRET} for the sultan of {SECRET}", 20)
        assert await tea.query(TeaWorkflow.origin) == SECRET
    assert cause.heard == {SECRET}

    raw = await kept(client, tea)
    assert (SECRET.encode() not in raw) == bool(keys)
    assert (b"binary/encrypted" in raw) == bool(keys)
    assert await (await tea.describe()).memo() == {"note": SECRET, "brewed": SECRET}


async def test_a_workflow_outlives_a_rotation_of_its_key(temporal_address: str) -> None:
    before = await client_with(temporal_address, OLD)
    tea = await begun(before)
    async with serving(before, tea):
        await until(tea, EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)

    after = await client_with(temporal_address, NEW, OLD)
    later: Tea = after.get_workflow_handle_for(TeaWorkflow.run, tea.id)
    async with serving(after, later):
        await later.signal(TeaWorkflow.arrive, "guest")
        assert (await later.result()).grams == 20

    with pytest.raises(Fatal, match="sealed with the payload key 'new'; known here are old"):
        await tea.result()


async def test_a_workflow_that_began_without_a_key_goes_on_with_one_while_that_is_allowed(
    temporal_address: str,
) -> None:
    before = await client_with(temporal_address)
    tea = await begun(before)
    async with serving(before, tea):
        await until(tea, EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)

    strict = await client_with(temporal_address, NEW)
    later: Tea = strict.get_workflow_handle_for(TeaWorkflow.run, tea.id)
    await later.signal(TeaWorkflow.arrive, "guest")
    async with serving(strict, later):
        await until(tea, EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)

    async with serving(await client_with(temporal_address, NEW, unsealed=True), later):
        assert (await later.result()).grams == 20

    with pytest.raises(Fatal, match="no key is set here"):
        await tea.result()


async def test_another_key_of_the_same_name_opens_nothing_and_says_so(temporal_address: str) -> None:
    client = await client_with(temporal_address, NEW)
    tea = await begun(client)
    async with serving(client, tea):
        await tea.signal(TeaWorkflow.arrive, "guest")
        await tea.result()

    wrong = await client_with(temporal_address, new_key("new", os.urandom))
    with pytest.raises(Fatal, match="does not open with the payload key 'new'"):
        await wrong.get_workflow_handle_for(TeaWorkflow.run, tea.id).result()


async def test_a_worker_without_the_key_fails_no_workflow_and_one_with_it_goes_on(temporal_address: str) -> None:
    client = await client_with(temporal_address, NEW)
    tea = await begun(client)
    await tea.signal(TeaWorkflow.arrive, "guest")
    async with serving(await client_with(temporal_address), tea):
        await until(tea, EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)

    async with serving(client, tea):
        assert (await tea.result()).grams == 20


async def test_a_whole_lifecycle_is_sealed_and_takes_nothing_that_is_not(
    database: Database, skipping_address: str
) -> None:
    shop = Shop()
    shop.puts("apple")
    troubles = iter([Conflict(f"{SECRET} was moved"), RetryableTransient(f"{SECRET} is away", code=Code.NETWORK)])

    def asked(_: object) -> None:
        if trouble := next(troubles, None):
            raise trouble

    shop.asked = asked
    client = await client_with(skipping_address, NEW)
    await search_attributes.ensure(client)
    async with staged(database, TimeSkipper(client).client, shop) as stage:
        handle = await stage.start()
        done = await handle.result()

        assert done["state"] == "Completed"
        assert (await handle.query("lifecycle"))["state"] == "Completed"
        for workflow_id in (handle.id, stage.collection_id):
            history = await client.get_workflow_handle(workflow_id).fetch_history()
            raw = b"".join(event.SerializeToString() for event in history.events)
            assert SECRET.encode() not in raw
            assert b"binary/encrypted" in raw


async def test_schedules_take_the_key_that_seals_now_so_that_the_old_one_can_go(temporal_address: str) -> None:
    namespace = await made_namespace(temporal_address)
    endpoint = Endpoint(scope=ACME, endpoint_id="nightly", connector="shop", schedule="1h")
    named = schedules.schedule_id(endpoint)
    paused = Controls(paused_at=datetime.now(UTC), paused_why=SECRET)
    for keys, opened_by in (((), None), ((OLD,), "old"), ((NEW, OLD), "new"), ((NEW,), "new")):
        client = await client_with(temporal_address, *keys, namespace=namespace)
        await schedules.rebuild(client, [(endpoint, paused)])

        described = await client.get_schedule_handle(named).describe()
        (argument,) = described.raw_description.schedule.action.start_workflow.input.payloads
        assert (key_id_of(argument) if is_sealed(argument) else None) == opened_by
        readable = described.raw_description.SerializeToString()
        assert (SECRET.encode() in readable) == (opened_by is None)
        assert described.schedule.state.paused
        await until_so(partial(agree, client, endpoint, paused))


async def agree(client: Client, endpoint: Endpoint, controls: Controls) -> bool:
    return await schedules.compare(client, [(endpoint, controls)]) == Rebuilt()
