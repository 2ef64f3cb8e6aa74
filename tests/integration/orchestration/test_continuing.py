"""Workflows that continue as new again and again: a server that wants short histories takes nothing away and adds nothing."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import TimeSkipper, WorkflowEnvironment
from tests.conftest import Said
from tests.integration.catalog.shelf import add
from tests.integration.harvest.shop import ACME, OPERATOR, Shop, rows
from tests.integration.orchestration.record_histories import SHORT
from tests.integration.orchestration.stage import Means, Stage, Turnstile, chain, staged, timers

from windrow import kv
from windrow.catalog.destination import Directory
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.orders import ExportOrder, RunOrder
from windrow.harvest.advancing import directive_key
from windrow.orchestration import names, schedules, search_attributes, starting
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.stack.programs import temporal_program


@pytest.fixture(scope="module")
def curt_address() -> Iterator[str]:
    """A Temporal that wants short histories, and whose clocks jump to the next timer."""
    settings = ("frontend.WorkflowTimeSkippingEnabled=true", SHORT)
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        environment = runner.run(
            WorkflowEnvironment.start_time_skipping_v2(
                dev_server_existing_path=str(temporal_program()),
                dev_server_extra_args=[word for each in settings for word in ("--dynamic-config-value", each)],
                dev_server_log_level="error",
                dev_server_startup_timeout=timedelta(seconds=60),
            )
        )
        yield environment.client.service_client.config.target_host
        runner.run(environment.shutdown())


@pytest.fixture
async def curt(curt_address: str) -> Client:
    client = await Client.connect(curt_address)
    await search_attributes.ensure(client)
    return TimeSkipper(client).client


async def begun(stage: Stage, workflow: str, workflow_id: str, **order: Any) -> WorkflowHandle[Any, Any]:
    """A run whose slices are a page each."""
    asked = RunOrder(
        tenant_id=ACME.tenant_id,
        project_id=ACME.project_id,
        endpoint_id=stage.endpoint.endpoint_id,
        run_id="long",
        slice_seconds=0,
        page_size=50,
        **order,
    )
    return await stage.client.start_workflow(workflow, asked, id=workflow_id, task_queue=names.META_TS)


def large() -> Turnstile:
    shop = Turnstile(things=400)
    shop.lets(100)
    return shop


async def executions(client: Client, handle: WorkflowHandle[Any, Any]) -> int:
    return len(await chain(client, handle.id, handle.first_execution_run_id))


async def test_a_run_that_continues_as_new_loses_nothing_doubles_nothing_and_begins_once(
    database: Database, curt: Client, said: Said
) -> None:
    async with staged(database, curt, large()) as stage:
        handle = await begun(stage, names.COLLECTION, stage.collection_id)
        done = await handle.result()

        assert await executions(curt, handle) >= 3
        assert (done["outcome"], done["settled"]["created"], done["settled"]["unchanged"]) == ("done", 400, 0)
        (run,) = await rows(database, "SELECT run_id, pages, fetched, published, repeats, outcome FROM harvest_runs")
        assert run == {"run_id": "long", "pages": 8, "fetched": 400, "published": 400, "repeats": 0, "outcome": "done"}
        assert len(await stage.items()) == 400
        cursor = await kv.get(database, directive_key(Lane(ACME, stage.endpoint.endpoint_id)))
        assert cursor
        assert (cursor.version, cursor.value["processed_count"]) == (1, 400)
        steps = ("context.acquired", "cursor.resolved", "batches.persisted", "cursor.advanced", "run.finalized")
        assert [line["event"] for line in said.lines if line["event"] in steps] == list(steps)


async def test_a_lifecycle_that_continues_as_new_waits_as_long_and_counts_on(database: Database, curt: Client) -> None:
    shop = Shop()
    shop.puts("apple")
    left = iter(range(3))

    def malformed(_: object) -> None:
        if next(left, None) is not None:
            raise ValidationFailure("not what was agreed")

    shop.asked = malformed
    async with staged(database, curt, shop) as stage:
        begun = await starting.trigger(curt, database, stage.endpoint, "now", OPERATOR)
        done = await begun.handle.result()

        assert done["settled"]["created"] == 1
        runs = await chain(curt, begun.workflow_id, begun.handle.first_execution_run_id)
        assert len(runs) >= 3
        waited = [seconds for run in runs for seconds in await timers(curt, begun.workflow_id, run)]
        assert [round(seconds / 60) for seconds in waited] == [1, 2, 4]
        assert [step.failures for step in await stage.steps() if step.state == "Backoff"] == [1, 2, 3]
        assert (await stage.states()).count("Pending") == 1
        last = await curt.get_workflow_handle(begun.workflow_id).describe()
        assert last.typed_search_attributes.get(schedules.TENANT) == ACME.tenant_id, "a pause finds it still"


async def test_exports_and_backfills_that_continue_as_new_are_whole(
    database: Database, curt: Client, tmp_path: Path
) -> None:
    means = Means(destination=lambda _: Directory(tmp_path), part_items=10)
    async with staged(database, curt, large(), family="backfills", means=means) as stage:
        backfill = await begun(stage, names.BACKFILL, "backfill/long", lane="backfill:long", trigger="backfill")
        await add(database, *(f"{number:03}" for number in range(95)), endpoint="other")
        order = ExportOrder(
            tenant_id=ACME.tenant_id, project_id=ACME.project_id, export_id="whole", endpoint_id="other"
        )
        export = await starting.export(curt, order)
        done, manifest = await asyncio.gather(backfill.result(), export.result())

        assert await executions(curt, backfill) >= 3
        assert (done["settled"]["created"], len(await stage.items())) == (400, 495)
        assert await rows(database, "SELECT FROM harvest_lanes WHERE closed_at IS NULL") == []
        assert await executions(curt, export) >= 3
        assert [part["items"] for part in manifest["parts"]] == [10] * 9 + [5]
        written = [line for part in manifest["parts"] for line in (tmp_path / part["name"]).read_text().splitlines()]
        assert len(set(written)) == len(written) == 95
