"""The directive cursor: how far the catalog is known to equal its source, and who may say so."""

from dataclasses import replace

import pytest
from temporalio.client import Client
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, OPERATOR, Shop, ShopConnector
from tests.integration.orchestration.stage import Stage, staged

from windrow import kv
from windrow.harvest import steering
from windrow.harvest.advancing import directive_key
from windrow.harvest.cursors import Cursors
from windrow.kv import Envelope
from windrow.orchestration import names
from windrow.outbox.lane import Lane
from windrow.postgres import Database, audit


def shelf() -> Shop:
    shop = Shop()
    shop.puts("apple", "pear")
    return shop


async def directive_cursor(stage: Stage) -> Envelope | None:
    return await kv.get(stage.database, directive_key(Lane(ACME, stage.endpoint.endpoint_id)))


@pytest.mark.req("MW-50")
async def test_it_moves_with_what_was_persisted_and_verified(database: Database, client: Client) -> None:
    async with staged(database, client, shelf()) as stage:
        assert await directive_cursor(stage) is None

        done = await (await stage.start()).result()

        cursor = await directive_cursor(stage)
        assert cursor
        assert cursor.value["processed_count"] == 2
        assert cursor.value["source_pointer"].startswith("fp:")
        assert cursor.value["checksum"]
        assert cursor.value["run_id"] == done["run_id"]


@pytest.mark.req("MW-53")
async def test_each_advance_is_told_from_where_to_where_by_which_run(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, shelf()) as stage:
        done = await (await stage.start()).result()

        (advanced,) = [line for line in said.lines if line["event"] == "cursor.advanced"]
        assert advanced["run_id"] == done["run_id"]
        assert advanced["before"] != advanced["after"]
        async with database.tenant(ACME.tenant_id) as tx:
            trail = await audit.history(tx)
        assert [line for line in trail if str(directive_key(Lane(ACME, stage.endpoint.endpoint_id))) in line.subject]


@pytest.mark.req("OR-26")
async def test_a_manual_override_names_its_spec_and_asks_for_the_advance(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, shelf()) as stage:
        await (await stage.start()).result()
        cursors = Cursors(Lane(ACME, stage.endpoint.endpoint_id), "shop")
        async with database.tenant(ACME.tenant_id) as tx:
            await steering.override(
                tx,
                cursors,
                {"after": "apple"},
                spec_ref="spec@1",
                reason="read it again",
                actor=OPERATOR,
                expected=None,
            )

        (asked,) = [line for line in said.lines if line["event"] == "cursor.advance_requested"]
        assert (asked["spec_ref"], asked["reason"], asked["actor"]) == ("spec@1", "read it again", "ada")


@pytest.mark.req("OR-52")
async def test_a_connector_may_have_its_slices_on_the_other_queue(
    database: Database, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShopConnector, "spec", replace(ShopConnector.spec, queue=names.META_TS))
    async with staged(database, client, shelf()) as stage:
        await (await stage.start()).result()

        found = client.get_workflow_handle(names.collection_id("acme", "main", stage.endpoint.endpoint_id))
        events = [event async for event in found.fetch_history_events()]
        slices = [
            event.activity_task_scheduled_event_attributes
            for event in events
            if event.activity_task_scheduled_event_attributes.activity_type.name == names.HARVEST_SLICE
        ]
        assert {each.task_queue.name for each in slices} == {names.META_TS}
