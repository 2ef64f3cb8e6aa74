"""A backfill reads the endpoint once more, beside live, and leaves no trace but its items."""

import uuid
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from tests.integration.harvest.shop import Shop, rows
from tests.integration.orchestration.stage import Stage, Turnstile, staged, timers

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.orchestration import starting
from windrow.postgres import Database


async def begun(stage: Stage) -> Any:
    name = uuid.uuid4().hex[:6]
    return await starting.backfill(stage.client, stage.endpoint, name, f"backfill-{name}")


async def lanes(database: Database) -> list[str]:
    return [row["lane"] for row in await rows(database, "SELECT lane FROM harvest_lanes ORDER BY lane")]


async def cursors(database: Database) -> Any:
    found = await rows(
        database, "SELECT key, version, value FROM kv WHERE key ~ 'cursor' AND NOT value IS NULL ORDER BY key"
    )
    return [(row["key"], row["version"], row["value"]) for row in found]


@pytest.fixture
def shop() -> Turnstile:
    """One that lets everybody through."""
    shop = Turnstile(things=120)
    shop.lets(50)
    return shop


@pytest.mark.req("OR-14")
async def test_it_reads_everything_with_a_cursor_of_its_own_and_its_lane_is_forgotten(
    database: Database, client: Client, shop: Turnstile
) -> None:
    async with staged(database, client, shop, page_size=50) as live:
        await (await live.start()).result()
        before = await cursors(database)
    async with staged(database, client, shop, family="backfills", at=live.endpoint) as stage:
        assert before
        shop.puts("thing-000", display_name="changed meanwhile")
        done = await (await begun(stage)).result()

        assert (done["settled"]["updated"], done["settled"]["unchanged"]) == (1, 119)
        assert await cursors(database) == before, "neither moved, nor joined by another that stays"
        assert await lanes(database) == ["live"]


async def test_one_that_is_cancelled_leaves_no_open_lane(database: Database, client: Client) -> None:
    shop = Turnstile(things=120)
    async with staged(database, client, shop, family="backfills", page_size=50) as stage:
        handle = await begun(stage)
        await shop.reached.get()
        shop.lets(1)
        await shop.reached.get()
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()

        open_lanes = await rows(database, "SELECT FROM harvest_lanes WHERE closed_at IS NULL")
        assert open_lanes == []
        assert await stage.run_states() == [("cancelled", None)]


async def test_what_only_a_person_can_mend_ends_it(database: Database, client: Client) -> None:
    shop = Shop()

    def refused(_: object) -> None:
        raise Fatal("the token was revoked", code=Code.UNAUTHORIZED)

    shop.asked = refused
    async with staged(database, client, shop, family="backfills") as stage:
        with pytest.raises(WorkflowFailureError):
            await (await begun(stage)).result()

        assert await stage.run_states() == [("failed", "UNAUTHORIZED")]
        assert await rows(database, "SELECT FROM harvest_lanes WHERE closed_at IS NULL") == []


async def test_after_a_failure_it_waits_a_minute_then_two_and_goes_on(database: Database, skipping: Client) -> None:
    shop = Shop()
    shop.puts("apple")
    times = iter(range(2))

    def malformed(_: object) -> None:
        if next(times, None) is not None:
            raise ValidationFailure("not what was agreed")

    shop.asked = malformed
    async with staged(database, skipping, shop, family="backfills") as stage:
        handle = await begun(stage)
        done = await handle.result()

        assert done["settled"]["created"] == 1
        assert await stage.run_states() == [("done", None)]
        assert [round(seconds / 60) for seconds in await timers(skipping, handle.id)] == [1, 2]
