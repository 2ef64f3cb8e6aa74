"""Exports and retention on Temporal: part by part, kind by kind."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from tests.integration.harvest.shop import ACME, rows
from tests.integration.orchestration.stage import Means, Turnstile, staged, until_so

from windrow import kv, messages
from windrow.catalog.destination import Directory
from windrow.contracts.errors import Fatal
from windrow.contracts.orders import ExportOrder
from windrow.orchestration import controls, names, schedules, starting
from windrow.orchestration.workflows.retention import KINDS
from windrow.outbox import retention as outbox
from windrow.postgres import Database, idempotency


def full() -> Turnstile:
    shop = Turnstile(things=120)
    shop.lets(50)
    return shop


@pytest.mark.req("OR-14")
async def test_an_export_is_the_catalog_as_files_and_a_manifest(
    database: Database, client: Client, tmp_path: Path
) -> None:
    async with staged(database, client, full()) as live:
        await (await live.start()).result()
    means = Means(destination=lambda _: Directory(tmp_path))
    async with staged(database, client, family="backfills", means=means, at=live.endpoint):
        order = ExportOrder(tenant_id=ACME.tenant_id, project_id=ACME.project_id, export_id=f"e-{uuid.uuid4().hex[:6]}")
        handle = await starting.export(client, order)
        manifest = await handle.result()

        assert (manifest["items"], len(manifest["parts"])) == (120, 1)
        assert (tmp_path / manifest["parts"][0]["name"]).read_text().count("\n") == 120
        assert (tmp_path / "manifest.json").exists()
        again = await starting.export(client, order)
        assert (await again.result()) == manifest, "the same export twice is one"


def purges(database: Database, **others: Any) -> dict[str, Any]:
    return {
        "outbox": lambda: outbox.purge(database, keep_hours=0),
        "kv": lambda: kv.sweep(database),
        "messages": lambda: messages.purge(database, keep=timedelta(hours=1)),
        "idempotency": lambda: idempotency.purge(database),
        "transitions": lambda: controls.purge(database, keep_days=0),
        **others,
    }


async def test_what_was_kept_long_enough_goes_kind_by_kind(database: Database, client: Client) -> None:
    async with staged(database, client, full(), means=Means(purges=purges(database))) as stage:
        await (await stage.start()).result()
        gone = await client.execute_workflow(names.RETENTION, id=f"retention/{uuid.uuid4()}", task_queue=names.META_TS)

        assert gone.keys() == set(KINDS)
        assert gone["transitions"] == 3
        assert gone["outbox"] > 0
        assert await stage.states() == []
        assert await rows(database, "SELECT FROM harvest_outbox") == []


@pytest.mark.req("HV-23")
async def test_what_was_kept_long_enough_goes_by_a_schedule_that_is_there_by_itself(
    database: Database, client: Client
) -> None:
    async with staged(database, client, full(), means=Means(purges=purges(database))) as stage:
        await (await stage.start()).result()
        assert await schedules.keep_retention(client)
        assert not await schedules.keep_retention(client), "once is enough"
        schedule = client.get_schedule_handle(names.RETENTION_ID)
        (every,) = (await schedule.describe()).schedule.spec.intervals
        await schedule.trigger()
        await until_so(lambda: is_empty(database, "harvest_outbox"))
        await schedules.remove(client, names.RETENTION_ID)

        assert every.every == timedelta(hours=1)


async def is_empty(database: Database, table: str) -> bool:
    return await rows(database, f"SELECT FROM {table}") == []


async def test_a_kind_that_cannot_be_removed_keeps_none_of_the_others(database: Database, client: Client) -> None:
    async def fails() -> int:
        raise Fatal("not now")

    async with staged(database, client, full(), means=Means(purges=purges(database, outbox=fails))) as stage:
        await (await stage.start()).result()
        with pytest.raises(WorkflowFailureError) as caught:
            await client.execute_workflow(names.RETENTION, id=f"retention/{uuid.uuid4()}", task_queue=names.META_TS)

        assert "not now" in str(caught.value.cause)
        assert await stage.states() == []
