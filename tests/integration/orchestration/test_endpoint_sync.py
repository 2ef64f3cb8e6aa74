"""The life of an endpoint's synchronisation, on a real Temporal."""

import asyncio

import pytest
from temporalio.client import Client, WorkflowFailureError
from tests.integration.harvest.shop import ACME, Shop
from tests.integration.orchestration.stage import Means, staged

from windrow.connectors import registry
from windrow.contracts.errors import Code, Conflict, Fatal
from windrow.orchestration import controls
from windrow.postgres import Database


def shelf(*names: str) -> Shop:
    shop = Shop()
    shop.puts(*(names or ("apple", "pear")))
    return shop


@pytest.mark.req("OR-10", "OR-13")
async def test_a_run_brings_the_source_into_the_catalog(database: Database, client: Client) -> None:
    async with staged(database, client, shelf()) as stage:
        done = await (await stage.start()).result()

        assert done["settled"]["created"] == 2
        assert await stage.items() == {"apple": False, "pear": False}
        assert await stage.states() == ["Pending", "Running", "Completed"]


async def test_a_second_run_changes_nothing(database: Database, client: Client) -> None:
    async with staged(database, client, shelf()) as stage:
        await (await stage.start()).result()
        done = await (await stage.start()).result()

        assert (done["settled"]["created"], done["settled"]["unchanged"]) == (0, 2)


@pytest.mark.req("OR-31", "MW-23")
async def test_what_only_a_person_can_mend_ends_as_failed(database: Database, client: Client) -> None:
    shop = shelf()

    def refuses(_: object) -> None:
        raise Fatal("the token was revoked", code=Code.UNAUTHORIZED, hint="give it another")

    shop.asked = refuses
    async with staged(database, client, shop) as stage:
        with pytest.raises(WorkflowFailureError):
            await (await stage.start()).result()

        assert await stage.states() == ["Pending", "Running", "Failed"]
        assert (await stage.steps())[-1].code == "UNAUTHORIZED"


@pytest.mark.req("MW-25", "OR-31")
async def test_an_endpoint_whose_connector_is_not_there_waits_for_a_person(database: Database, client: Client) -> None:
    means = Means(spec_of=lambda name: registry.find(name).spec)
    async with staged(database, client, shelf(), means=means) as stage:
        with pytest.raises(WorkflowFailureError):
            await (await stage.start()).result()

        step = (await stage.steps())[-1]
        assert (step.state, step.error_class, step.code) == ("Failed", "Fatal", "CONFIGURATION")
        assert "there is no connector 'shop'" in (step.reason or "")
        async with database.tenant(ACME.tenant_id) as tx:
            assert (await controls.find(tx, ACME, stage.endpoint.endpoint_id)).halted_at


@pytest.mark.req("OR-27", "OR-10")
async def test_a_conflict_waits_for_the_cursor_and_goes_on(database: Database, client: Client) -> None:
    shop = shelf()
    times = iter([True])

    def conflicts(_: object) -> None:
        if next(times, False):
            raise Conflict("the cursor was moved")

    shop.asked = conflicts
    async with staged(database, client, shop) as stage:
        done = await asyncio.wait_for((await stage.start()).result(), 60)

        assert done["settled"]["created"] == 2
        assert await stage.states() == ["Pending", "Running", "WaitingCursorAdvance", "Running", "Completed"]
