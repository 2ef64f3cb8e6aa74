"""Who runs when: paused and resumed, one after the other, within the tenant's places; and who does not run at all."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from temporalio.client import Client, WorkflowFailureError
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, OPERATOR, Shop
from tests.integration.orchestration.stage import Means, Stage, Turnstile, opened, staged, until_said

from windrow import endpoints
from windrow.contracts.errors import Code, RateLimited, RetryableTransient, ValidationFailure
from windrow.contracts.orders import SyncOrder
from windrow.orchestration import controls, names
from windrow.postgres import Database


def broken() -> Shop:
    """A source that fails until somebody puts `asked` right."""
    shop = Shop()
    shop.puts("apple")

    def asked(_: object) -> None:
        raise ValidationFailure("not what was agreed")

    shop.asked = asked
    return shop


@pytest.mark.req("OR-13", "OR-32")
async def test_in_backoff_the_state_the_reason_and_the_next_try_can_be_seen(database: Database, client: Client) -> None:
    async with staged(database, client, broken()) as stage:
        handle = await stage.start()
        step = await stage.until("Backoff")

        seen = await handle.query("lifecycle")
        assert (seen["state"], seen["failures"]) == ("Backoff", 1)
        assert "not what was agreed" in seen["reason"]
        assert datetime.fromisoformat(seen["next_retry_at"]) == step.next_retry_at
        described = await handle.describe()
        assert (await described.memo())["next_retry_at"] == seen["next_retry_at"]
        assert described.search_attributes["WindrowState"] == ["Backoff"]
        assert described.search_attributes["WindrowNextRetry"] == [step.next_retry_at]


@pytest.mark.req("OR-20", "OR-21")
async def test_paused_in_backoff_it_waits_until_it_is_resumed_and_then_goes_on_at_once(
    database: Database, client: Client
) -> None:
    shop = broken()
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        await stage.until("Backoff")
        await handle.signal("pause", "the source is being moved")
        step = await stage.until("Paused")
        shop.asked = lambda _: None
        await handle.signal("resume")
        await asyncio.wait_for(handle.result(), 60)

        assert step.reason == "the source is being moved"
        assert await stage.states() == ["Pending", "Running", "Backoff", "Paused", "Running", "Completed"]


async def test_resumed_in_backoff_it_does_not_wait_any_longer(database: Database, client: Client) -> None:
    shop = broken()
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        await stage.until("Backoff")
        shop.asked = lambda _: None
        await handle.signal("resume")
        await asyncio.wait_for(handle.result(), 60)

        assert await stage.states() == ["Pending", "Running", "Backoff", "Running", "Completed"]


async def test_paused_while_it_runs_the_run_ends_first(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        await shop.reached.get()
        await handle.signal("pause", "enough for today")
        shop.lets()
        await handle.result()

        assert await stage.states() == ["Pending", "Running", "Completed"]


async def test_cancelled_while_it_is_paused_it_ends(database: Database, client: Client) -> None:
    async with staged(database, client, broken()) as stage:
        handle = await stage.start()
        await stage.until("Backoff")
        await handle.signal("pause", "for good")
        await stage.until("Paused")
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), 60)

        assert (await stage.states())[-2:] == ["Paused", "Cancelled"]


@pytest.mark.req("OR-23")
async def test_a_second_one_waits_for_its_turn_and_the_two_never_overlap(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    async with staged(database, client, shop) as stage:
        first = await stage.start()
        await shop.reached.get()
        second = await stage.start(trigger="manual")
        await until_in_line(stage, second.id)
        assert (await second.query("lifecycle"))["state"] == "Pending"
        shop.lets(2)
        await asyncio.gather(first.result(), second.result())

        assert shop.most_at_once == 1
        assert await stage.run_states() == [("done", None)] * 2


async def until_in_line(stage: Stage, workflow_id: str) -> None:
    handle = stage.client.get_workflow_handle(workflow_id)
    async for event in handle.fetch_history_events(wait_new_event=True):
        if event.HasField("start_child_workflow_execution_failed_event_attributes"):
            return


async def test_of_a_tenants_runs_only_so_many_are_at_work(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    async with staged(database, client, shop, means=Means(tenant_runs=1)) as stage:
        other = await opened(database)
        order = SyncOrder(tenant_id=ACME.tenant_id, project_id=ACME.project_id, endpoint_id=other.endpoint_id)
        first = await stage.start()
        await shop.reached.get()
        second = await client.start_workflow(
            names.ENDPOINT_SYNC, order, id=f"sync/{other.endpoint_id}", task_queue=names.META_TS
        )
        collecting = names.collection_id(ACME.tenant_id, ACME.project_id, other.endpoint_id)
        await until_waiting_for_a_place(client, collecting)
        shop.lets(2)
        await asyncio.gather(first.result(), second.result())

        assert shop.most_at_once == 1
        waited = replace(stage, endpoint=other)
        assert await waited.states() == ["Pending", "Running", "Completed"], "a place is no cursor"


async def until_waiting_for_a_place(client: Client, workflow_id: str) -> None:
    """Until it has been told that there is none, and waits."""
    while True:
        try:
            async for event in client.get_workflow_handle(workflow_id).fetch_history_events(wait_new_event=True):
                if event.HasField("timer_started_event_attributes"):
                    return
        except Exception:
            await asyncio.sleep(0.05)


@pytest.mark.req("MW-20")
async def test_a_long_word_of_the_source_is_a_wait_that_can_be_seen(database: Database, client: Client) -> None:
    shop = Shop()

    def asked(_: object) -> None:
        raise RateLimited("slow down", retry_after=7200)

    shop.asked = asked
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        seen = await stage.waiting()

        due = datetime.fromisoformat(seen["next_retry_at"])
        assert timedelta(minutes=115) < due - datetime.now(UTC) <= timedelta(hours=2)
        assert (seen["state"], seen["error_class"]) == ("Running", "RetryableTransient")
        lifecycle = await handle.query("lifecycle")
        assert (lifecycle["state"], lifecycle["next_retry_at"]) == ("Running", seen["next_retry_at"])
        assert lifecycle["reason"] == "slow down"


async def ended(stage: Stage, **start: Any) -> list[str]:
    with pytest.raises(WorkflowFailureError):
        await (await stage.start(**start)).result()
    return await stage.states()


async def test_a_removed_endpoint_is_shown_as_failed_and_nobody_is_paged(database: Database, client: Client) -> None:
    async with staged(database, client, Turnstile(things=1)) as stage:
        async with database.tenant(ACME.tenant_id) as tx:
            await endpoints.remove(tx, ACME, stage.endpoint.endpoint_id, actor=OPERATOR, reason="no more")

        assert await ended(stage) == ["Pending", "Running", "Failed"]
        assert (await stage.steps())[-1].code == "GONE"
        assert await stage.run_states() == [], "no run was begun, and none has failed"


@pytest.mark.req("OR-31")
async def test_a_halted_endpoint_begins_by_hand_and_not_by_its_schedule(database: Database, client: Client) -> None:
    shop = Turnstile(things=1)
    shop.lets(1)
    async with staged(database, client, shop) as stage:
        async with database.tenant(ACME.tenant_id) as tx:
            await controls.halt(tx, ACME, stage.endpoint.endpoint_id, Code.UNAUTHORIZED, "the token was revoked")

        assert await ended(stage) == ["Pending", "Running", "Failed"]
        assert "the token was revoked" in ((await stage.steps())[-1].reason or "")
        done = await (await stage.start(trigger="manual")).result()
        assert done["state"] == "Completed"


async def test_a_step_that_cannot_be_written_down_is_tried_until_it_is(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, broken()) as stage:
        handle = await stage.start()
        await stage.until("Backoff")
        with table_set_aside(database, "sync_transitions"):
            await handle.signal("pause", "now")
            await until_said(said, "activity.failed", activity=names.RECORD_STATE)
        await stage.until("Paused")

        assert (await handle.query("lifecycle"))["state"] == "Paused"


async def test_a_failure_that_cannot_be_written_down_at_first_is_told_later(
    database: Database, skipping: Client, said: Said
) -> None:
    shop = broken()
    async with staged(database, skipping, shop) as stage:
        with table_set_aside(database, "failed_runs"):
            await stage.start()
            await until_said(said, "activity.failed", activity=names.FAIL)
        step = await stage.until("Backoff")

        assert step.code == "INVALID", "why the run failed, and not why that could not be written"
        assert (await stage.run_states())[0] == ("failed", "INVALID")


@contextmanager
def table_set_aside(database: Database, table: str) -> Iterator[None]:
    """The database answers, and cannot do what it is asked for."""
    with psycopg.connect(database.url, autocommit=True) as owner:
        owner.execute(f"ALTER TABLE windrow.{table} RENAME TO set_aside")
        try:
            yield
        finally:
            owner.execute(f"ALTER TABLE windrow.set_aside RENAME TO {table}")


async def test_a_run_that_was_terminated_is_followed_by_another_and_does_not_stay_open(
    database: Database, skipping: Client
) -> None:
    shop = Turnstile(things=1)
    async with staged(database, skipping, shop) as stage:
        handle = await stage.start()
        await shop.reached.get()
        await skipping.get_workflow_handle(stage.collection_id).terminate("from outside")
        await shop.reached.get()
        shop.lets(5)
        await handle.result()

        assert await stage.run_states() == [("superseded", None), ("done", None)]
        assert await stage.states() == ["Pending", "Running", "Backoff", "Running", "Completed"]


async def test_a_run_whose_lifecycle_is_terminated_ends_with_it(database: Database, client: Client) -> None:
    shop = Shop()

    def asked(_: object) -> None:
        raise RetryableTransient("away", code=Code.NETWORK)

    shop.asked = asked
    async with staged(database, client, shop) as stage:
        handle = await stage.start()
        await stage.waiting()
        await handle.terminate("from outside")
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(client.get_workflow_handle(stage.collection_id).result(), 60)

        assert await stage.run_states() == [("cancelled", None)], "it is not left running on its own"
