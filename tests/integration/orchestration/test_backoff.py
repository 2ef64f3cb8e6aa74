"""Waits are those of the policies: hours of them, on a server whose clock jumps."""

from typing import Any

import httpx2
import pytest
from temporalio.client import Client
from tests.integration.harvest.shop import ACME, Shop, rows
from tests.integration.orchestration.stage import Stage, children, staged, timers

from windrow.contracts.errors import Code, Conflict, RateLimited, RetryableTransient, ValidationFailure
from windrow.contracts.orders import SyncOrder
from windrow.orchestration import names
from windrow.postgres import Database

pytestmark = pytest.mark.timeout(600)  # hours pass in seconds, but in many steps of three programs

# what is computed on the way may be rounded up
LATE = 0.5


def are(waited: list[float], policy: list[float]) -> bool:
    """Whether the waits were those of the policy."""
    return len(waited) == len(policy) and all(0 <= was - due <= LATE for was, due in zip(waited, policy, strict=True))


def failing(times: int, error: Exception) -> Shop:
    """A source that fails so often, and then works."""
    shop = Shop()
    shop.puts("apple", "pear")
    left = iter(range(times))

    def asked(_: object) -> None:
        if next(left, None) is not None:
            raise error

    shop.asked = asked
    return shop


async def told(database: Database) -> list[str]:
    """The channels that were told, in order."""
    found = await rows(database, "SELECT topic FROM messages WHERE topic ^@ 'notify.' ORDER BY published_at")
    return [row["topic"] for row in found]


async def waits_of_first_run(stage: Stage, handle: Any) -> list[float]:
    return await timers(stage.client, stage.collection_id, (await children(handle))[0])


@pytest.mark.req("OR-30", "MW-22")
async def test_between_runs_it_waits_a_minute_then_twice_as_long_and_never_above_an_hour(
    database: Database, skipping: Client
) -> None:
    async with staged(database, skipping, failing(8, ValidationFailure("not what was agreed"))) as stage:
        handle = await stage.start()
        done = await handle.result()

        assert done["settled"]["created"] == 2
        waited = await timers(skipping, handle.id)
        assert are(waited, [minutes * 60 for minutes in (1, 2, 4, 8, 16, 32, 60, 60)]), waited
        assert await waits_of_first_run(stage, handle) == [], "what is malformed is not tried again"
        assert await stage.run_states() == [("failed", "INVALID")] * 8 + [("done", None)]
        steps = [step for step in await stage.steps() if step.state == "Backoff"]
        assert [step.failures for step in steps] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert all(step.next_retry_at for step in steps)
        channels = await told(database)
        assert channels.count("notify.maintainers") == 8
        assert channels.count("notify.pager") == 1


@pytest.mark.req("MW-20", "MW-24", "HV-60")
async def test_what_is_transient_is_tried_eight_times_from_thirty_seconds_to_ten_minutes(
    database: Database, skipping: Client, said: Any
) -> None:
    away = httpx2.ConnectError("the source is away")  # as it comes from an API's client
    async with staged(database, skipping, failing(8, away)) as stage:
        handle = await stage.start()
        await handle.result()

        waited = await waits_of_first_run(stage, handle)
        assert are(waited, [30, 60, 120, 240, 480, 600, 600]), waited
        assert await stage.states() == ["Pending", "Running", "Backoff", "Running", "Completed"]
        assert await stage.run_states() == [("failed", "NETWORK"), ("done", None)]
        assert await told(database) == ["notify.ops"]
        retried = said.events("attempt.retried")
        assert [line["retry_attempt"] for line in retried] == [1, 2, 3, 4, 5, 6, 7]
        assert {line["level"] for line in retried} == {"WARN"}
        assert {line["error_class"] for line in retried} == {"RetryableTransient"}


@pytest.mark.req("MW-21", "OR-27")
async def test_a_conflict_is_tried_five_times_with_jitter_and_then_escalates(
    database: Database, skipping: Client
) -> None:
    async with staged(database, skipping, failing(6, Conflict("the cursor was moved"))) as stage:
        handle = await stage.start()
        await handle.result()

        waited = await waits_of_first_run(stage, handle)
        bounds = [5, 10, 20, 40, 60]
        assert len(waited) == len(bounds)
        assert all(most / 2 <= seconds <= most + LATE for seconds, most in zip(waited, bounds, strict=True)), waited
        waiting = ["WaitingCursorAdvance", "Running"] * 5
        assert await stage.states() == ["Pending", "Running", *waiting, "Backoff", "Running", "Completed"]
        assert (await stage.steps())[-3].code == "CAS_MISMATCH"
        assert await told(database) == ["notify.ops"]


@pytest.mark.req("MW-20")
async def test_two_hours_that_a_source_asks_for_are_one_wait_and_no_failure(
    database: Database, skipping: Client
) -> None:
    async with staged(database, skipping, failing(1, RateLimited("slow down", retry_after=7200))) as stage:
        handle = await stage.start()
        await handle.result()

        assert are(await waits_of_first_run(stage, handle), [7200])
        assert await stage.states() == ["Pending", "Running", "Completed"]
        assert await stage.run_states() == [("done", None)]


async def test_a_class_of_errors_has_a_budget_of_its_own(database: Database, skipping: Client) -> None:
    shop = Shop()
    shop.puts("apple")
    errors = [Conflict("moved"), RetryableTransient("away", code=Code.NETWORK)]
    turn = iter(range(7))

    def asked(_: object) -> None:
        if (number := next(turn, None)) is not None:
            raise errors[number % 2]

    shop.asked = asked
    async with staged(database, skipping, shop) as stage:
        handle = await stage.start()
        await handle.result()

        assert await stage.run_states() == [("done", None)], "seven are too many for one class, and not for two"
        waited = await waits_of_first_run(stage, handle)
        assert are(waited[1::2], [30, 60, 120]), waited


async def test_a_lifecycle_that_continues_as_new_is_where_it_was(database: Database, skipping: Client) -> None:
    async with staged(database, skipping, failing(1, RetryableTransient("away", code=Code.NETWORK))) as stage:
        order = SyncOrder(
            tenant_id=ACME.tenant_id,
            project_id=ACME.project_id,
            endpoint_id=stage.endpoint.endpoint_id,
            failures=6,
            transitions=40,
            state="Backoff",
            paused="for a while",
        )
        handle = await skipping.start_workflow(
            names.ENDPOINT_SYNC, order, id=f"sync/{stage.endpoint.endpoint_id}", task_queue=names.META_TS
        )
        await stage.until("Paused")
        await handle.signal("resume")
        await handle.result()

        assert [(step.number, step.before, step.state) for step in await stage.steps()] == [
            (41, "Backoff", "Paused"),
            (42, "Paused", "Running"),
            (43, "Running", "Completed"),
        ]
