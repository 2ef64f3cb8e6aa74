"""Previews on Temporal: bounded, in places, and ended at once where the connector offers none."""

import asyncio
import re
import uuid
from typing import Any

import pytest
from prometheus_client import generate_latest
from temporalio.client import Client
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, rows
from tests.integration.orchestration.stage import Means, Stage, Turnstile, staged

from windrow.contracts.orders import PreviewOrder
from windrow.orchestration import names, starting
from windrow.postgres import Database


def disabled() -> float:
    """As the page of metrics counts them."""
    found = re.search(
        r'^preview_disabled_total\{[^}]*connector="shop"[^}]*\} (\S+)', generate_latest().decode(), re.MULTILINE
    )
    return float(found[1]) if found else 0.0


async def begun(stage: Stage, **bounds: Any) -> Any:
    order = PreviewOrder(
        tenant_id=ACME.tenant_id, project_id=ACME.project_id, endpoint_id=stage.endpoint.endpoint_id, **bounds
    )
    return await starting.preview(stage.client, order, f"preview/{uuid.uuid4()}", stage.endpoint)


@pytest.mark.req("OR-12")
async def test_it_shows_so_many_rows_and_writes_nothing(database: Database, client: Client, said: Said) -> None:
    shop = Turnstile(things=60)
    shop.lets(5)
    async with staged(database, client, shop) as stage:
        shown = await (await begun(stage, rows=3)).result()

        assert (shown["ended"], len(shown["items"])) == ("rows", 3)
        assert await rows(database, "SELECT FROM harvest_outbox UNION ALL SELECT FROM items") == []
        (started,), (over,) = said.events("preview.started"), said.events("preview.ended")
        for line in (started, over):
            assert line["directive"] == names.PREVIEW
            assert (line["tenant_id"], line["project_id"]) == (ACME.tenant_id, ACME.project_id)
            assert line["endpoint_id"]
            assert line["workflow_id"].startswith("preview/")


async def test_it_ends_when_its_time_is_over(database: Database, client: Client) -> None:
    async with staged(database, client, Turnstile()) as stage:
        shown = await (await begun(stage, seconds=0.5)).result()

        assert (shown["ended"], shown["items"]) == ("seconds", [])


@pytest.mark.req("OR-12")
async def test_without_the_ability_it_ends_at_once_with_a_warning(
    database: Database, client: Client, said: Said
) -> None:
    shop = Turnstile()
    async with staged(database, client, shop, means=Means(can_preview=False)) as stage:
        before = disabled()
        shown = await (await begun(stage)).result()

        assert shown["ended"] == "disabled"
        assert shop.reached.empty(), "the source was not asked"
        assert [line["level"] for line in said.events("preview.disabled")] == ["WARN"]
        assert disabled() - before == 1


@pytest.mark.req("OR-12")
async def test_of_one_endpoint_only_so_many_are_taken_at_once(database: Database, client: Client) -> None:
    shop = Turnstile(things=3)
    async with staged(database, client, shop, means=Means(previews=1)) as stage:
        first = await begun(stage)
        await shop.reached.get()
        second = await begun(stage)
        async for event in second.fetch_history_events(wait_new_event=True):
            if event.HasField("timer_started_event_attributes"):
                break
        shop.lets(2)
        shown = await asyncio.gather(first.result(), second.result())

        assert [len(one["items"]) for one in shown] == [3, 3]
        assert shop.most_at_once == 1
