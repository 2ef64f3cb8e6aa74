"""Runs that are interrupted: cancelled by a person, left by their worker."""

import asyncio
import random
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.exceptions import is_cancelled_exception
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, rows
from tests.integration.orchestration.stage import Means, Turnstile, opened, staged, working

from windrow import kv
from windrow.contracts.errors import RetryableTransient
from windrow.contracts.orders import SyncOrder
from windrow.harvest import run as runs
from windrow.harvest.advancing import advance, directive_key
from windrow.orchestration import names
from windrow.outbox.lane import Lane
from windrow.postgres import Database

MEANS = Means()
ROOT = Path(__file__).parents[3]


@pytest.mark.req("MW-31", "MW-30")
async def test_a_run_that_is_cancelled_between_pages_is_safe_within_ten_seconds_and_the_next_goes_on(
    database: Database, client: Client, said: Said
) -> None:
    shop = Turnstile(things=120)
    async with staged(database, client, shop, page_size=50) as stage:
        handle = await stage.start()
        await shop.reached.get()
        shop.lets(1)
        after_first = await shop.reached.get()

        asked = time.monotonic()
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as caught:
            await handle.result()

        assert time.monotonic() - asked < 10
        assert is_cancelled_exception(caught.value.cause)
        assert await stage.states() == ["Pending", "Running", "Cancelled"]
        assert await stage.run_states() == [("cancelled", None)]
        (told,) = said.events("run.cancelled")
        assert (told["level"], told["outcome"]) == ("INFO", "cancelled")
        assert told["cursor"] not in ("", "none")
        shop.lets(10)
        done = await (await stage.start()).result()
        assert await shop.reached.get() == after_first, "it goes on where the cancelled one was"
        assert done["settled"]["created"] == 70
        assert len(await stage.items()) == 120


async def test_a_run_that_waits_for_its_next_try_is_cancelled_at_once(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)

    def away(_: object) -> None:
        raise RetryableTransient("the source is away")

    shop.asked = away
    shop.lets(100)
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        await stage.waiting()
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), 60)

        assert await stage.states() == ["Pending", "Running", "Cancelled"]
        assert await stage.run_states() == [("cancelled", None)]


async def test_a_worker_that_is_stopped_ends_its_slice_early_and_another_goes_on(
    database: Database, client: Client
) -> None:
    shop = Turnstile(things=120)
    async with staged(database, client, shop, page_size=50) as stage:
        handle = await stage.start()
        await shop.reached.get()
        shop.lets(1)
        after_first = await shop.reached.get()
        await stage.stop_workers()
        shop.lets(1)
        await asyncio.gather(stage.working, return_exceptions=True)
        assert await stage.run_states() == [("running", None)]
        assert shop.reached.empty(), "no new page is asked for"

        shop.lets(10)
        another = asyncio.create_task(working(database, client, shop, "harvesters", MEANS).run())
        done = await handle.result()
        another.cancel()
        await asyncio.gather(another, return_exceptions=True)
        assert await shop.reached.get() not in (None, after_first)
        assert (done["settled"]["created"], len(await stage.items())) == (120, 120)
        assert await stage.run_states() == [("done", None)]


async def test_a_worker_that_is_stopped_does_not_wait_for_a_source_that_does_not_answer(
    database: Database, client: Client
) -> None:
    shop = Turnstile(things=120)
    hasty = Means(grace=timedelta(seconds=0.5))
    async with staged(database, client, shop, means=hasty, page_size=50) as stage:
        handle = await stage.start()
        await shop.reached.get()
        shop.lets(1)
        after_first = await shop.reached.get()
        await stage.stop_workers()
        await asyncio.gather(stage.working, return_exceptions=True)

        shop.lets(10)
        another = asyncio.create_task(working(database, client, shop, "harvesters", MEANS).run())
        done = await handle.result()
        another.cancel()
        await asyncio.gather(another, return_exceptions=True)
        assert await shop.reached.get() == after_first
        assert done["settled"]["created"] == 120
        assert await stage.run_states() == [("done", None)]


async def published(database: Database) -> None:
    """Until a page is in the outbox: it is put there while the next one is asked for."""
    while True:
        if await rows(database, "SELECT FROM harvest_outbox"):
            return
        await asyncio.sleep(0.05)


@pytest.mark.timeout(300)
async def test_a_worker_that_vanishes_in_the_middle_of_a_slice_is_replaced(database: Database, client: Client) -> None:
    endpoint = await opened(database, page_size=50)
    lonely = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.orchestration.lonely_worker",
        client.service_client.config.target_host,
        client.namespace,
        database.url,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert lonely.stdout
    order = SyncOrder(tenant_id=ACME.tenant_id, project_id=ACME.project_id, endpoint_id=endpoint.endpoint_id)
    handle = await client.start_workflow(
        names.ENDPOINT_SYNC, order, id=f"sync/{endpoint.endpoint_id}", task_queue=names.META_TS
    )
    assert [await lonely.stdout.readline() for _ in range(2)] == [b"first\n", b"second\n"]
    await published(database)
    lonely.kill()
    await lonely.wait()

    shop = Turnstile(things=120)
    shop.lets(10)
    async with staged(database, client, shop, at=endpoint) as stage:
        done = await asyncio.wait_for(handle.result(), 200)

        assert await shop.reached.get(), "it goes on from the page that was published"
        assert (done["settled"]["created"], len(await stage.items())) == (120, 120)
        assert await stage.run_states() == [("done", None)]
        assert await stage.states() == ["Pending", "Running", "Completed"]


@pytest.mark.campaign
async def test_cancelled_at_any_moment_the_lifecycle_and_temporal_agree_and_no_run_is_left(
    database: Database, client: Client, seed: int
) -> None:
    shop = Turnstile(things=300)
    shop.lets(1000)
    moments = random.Random(seed)
    async with staged(database, client, shop, page_size=50) as stage:
        for _ in range(8):
            handle = await stage.start()
            await asyncio.sleep(moments.random() * 0.5)
            await handle.cancel()
            await asyncio.gather(handle.result(), return_exceptions=True)
            status = (await handle.describe()).status

            (last,) = [step.state for step in await stage.steps()][-1:]
            assert (status, last) in (
                (WorkflowExecutionStatus.CANCELED, "Cancelled"),
                (WorkflowExecutionStatus.COMPLETED, "Completed"),
            )
            assert "running" not in [state for state, _ in await stage.run_states()]


async def test_settling_again_moves_the_directive_cursor_once(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    shop.lets(5)
    async with staged(database, client, shop) as stage:
        done = await (await stage.start()).result()
        lane = Lane(ACME, stage.endpoint.endpoint_id)
        async with database.tenant(ACME.tenant_id) as tx:
            first = await kv.get(tx, directive_key(lane))
            run = await runs.find_run(tx, done["run_id"])
            assert first
            pointer = first.value["source_pointer"]
            again = await advance(tx, lane, run, pointer, directive="shop", spec_ref="connector.shop@1.0")
            second = await kv.get(tx, directive_key(lane))

        assert second == first
        assert (again.before, again.processed) == (again.after, 2)
