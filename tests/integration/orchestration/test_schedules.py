"""Schedules and triggers on a real Temporal."""

import asyncio
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.service import RPCError
from tests.integration.harvest.shop import ACME, OPERATOR, Shop, rows
from tests.integration.orchestration.conftest import made_namespace
from tests.integration.orchestration.stage import Stage, Turnstile, opened, staged, until_so

from windrow.contracts.errors import ValidationFailure
from windrow.endpoints import Endpoint
from windrow.orchestration import schedules, scheduling, starting
from windrow.orchestration.controls import Controls
from windrow.orchestration.schedules import Rebuilt
from windrow.orchestration.scheduling import Scheduled
from windrow.postgres import Database

NOON = "0 12 * * *"
# by itself it begins nothing while a test runs, as one of every hour would do at the full hour
SELDOM = "30d"


@pytest.fixture
async def quiet(temporal_address: str) -> Client:
    """A client of a namespace in which nobody else has schedules."""
    return await Client.connect(temporal_address, namespace=await made_namespace(temporal_address))


def at(schedule: str | None = NOON, name: str | None = None) -> Endpoint:
    return Endpoint(scope=ACME, endpoint_id=name or f"s-{uuid.uuid4().hex[:6]}", connector="shop", schedule=schedule)


async def described(client: Client, endpoint: Endpoint) -> Any:
    return await client.get_schedule_handle(schedules.schedule_id(endpoint)).describe()


async def listed(client: Client, *names: str) -> None:
    """Until the server's list, which is a little behind, has just these."""
    while True:
        if {entry.id async for entry in await client.list_schedules()} == set(names):
            return
        await asyncio.sleep(0.05)


@pytest.mark.req("OR-22")
async def test_a_schedule_is_as_it_was_meant(client: Client) -> None:
    endpoint = at()
    assert await schedules.put(client, endpoint, Controls(time_zone="Europe/Berlin", jitter_seconds=90))

    found = await described(client, endpoint)
    assert found.schedule.spec.jitter == timedelta(seconds=90)
    assert found.schedule.spec.time_zone_name == "Europe/Berlin"
    due = found.info.next_action_times[0]
    assert due.astimezone(tz=None) > datetime.now(UTC)
    assert not found.schedule.state.paused
    assert await schedules.remove(client, schedules.schedule_id(endpoint))
    assert not await schedules.remove(client, schedules.schedule_id(endpoint))
    with pytest.raises(RPCError):
        await described(client, endpoint)


@pytest.mark.req("OR-20", "OR-21")
async def test_a_paused_one_stays_paused_until_it_is_resumed(client: Client) -> None:
    endpoint = at()
    paused = Controls(paused_at=datetime.now(UTC), paused_why="the source is being moved")
    await schedules.put(client, endpoint, paused)
    moved = replace(endpoint, schedule="0 13 * * *")
    assert not await schedules.put(client, moved, paused)

    found = await described(client, endpoint)
    assert found.schedule.state.paused
    assert "the source is being moved" in found.schedule.state.note
    await schedules.put(client, moved, Controls())
    assert not (await described(client, endpoint)).schedule.state.paused


@pytest.mark.req("OR-22")
async def test_another_time_leaves_the_one_that_runs_alone(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    async with staged(database, client, shop, schedule=SELDOM) as stage:
        await schedules.put(client, stage.endpoint, Controls())
        named = schedules.schedule_id(stage.endpoint)
        await client.get_schedule_handle(named).trigger()
        await shop.reached.get()
        await schedules.put(client, replace(stage.endpoint, schedule=NOON), Controls())
        shop.lets()
        step = await stage.until("Completed")

        assert step.workflow_id.startswith(named)
        assert await stage.states() == ["Pending", "Running", "Completed"]
        await schedules.remove(client, named)


async def test_what_temporal_has_lost_or_kept_is_made_to_agree(quiet: Client) -> None:
    first, second = at(name="first"), at("15m", name="second")
    names = [schedules.schedule_id(first), schedules.schedule_id(second)]
    assert await schedules.rebuild(
        quiet, [(first, Controls()), (second, Controls()), (at(None), Controls())]
    ) == Rebuilt(created=tuple(names))
    await listed(quiet, *names)

    assert await schedules.rebuild(quiet, [(first, Controls()), (second, Controls())]) == Rebuilt()
    assert await schedules.rebuild(quiet, [(first, Controls())]) == Rebuilt(removed=(names[1],))
    await listed(quiet, names[0])
    assert await schedules.rebuild(quiet, [(first, Controls()), (second, Controls())]) == Rebuilt(created=(names[1],))


@pytest.mark.parametrize(
    ("schedule", "controls"),
    [
        ("0 13 * * *", Controls()),
        ("2h", Controls()),
        (NOON, Controls(time_zone="Asia/Tokyo")),
        (NOON, Controls(jitter_seconds=30)),
        (NOON, Controls(paused_at=datetime(2026, 1, 1, tzinfo=UTC), paused_why="for now")),
    ],
    ids=["cron", "interval", "zone", "jitter", "pause"],
)
async def test_one_that_differs_is_mended(quiet: Client, schedule: str, controls: Controls) -> None:
    before, after = at(name="same"), at(schedule, name="same")
    await schedules.rebuild(quiet, [(before, Controls())])
    await listed(quiet, schedules.schedule_id(before))

    done = await schedules.rebuild(quiet, [(after, controls)])

    assert done == Rebuilt(updated=(schedules.schedule_id(before),))
    found = (await described(quiet, before)).schedule
    assert found.state.paused == (controls.paused_at is not None)
    assert (found.spec.time_zone_name or "UTC") == controls.time_zone


@pytest.mark.req("OR-23")
async def test_the_same_trigger_twice_is_one_run_also_after_the_first_has_ended(
    database: Database, client: Client
) -> None:
    shop = Turnstile(things=2)
    shop.lets(5)
    async with staged(database, client, shop) as stage:
        one, two = await asyncio.gather(
            *(starting.trigger(client, database, stage.endpoint, "nightly-1", OPERATOR) for _ in range(2))
        )
        done = await one.handle.result()
        three = await starting.trigger(client, database, stage.endpoint, "nightly-1", OPERATOR)

        assert sorted([one.again, two.again]) == [False, True]
        assert three.again
        assert await three.handle.result() == await two.handle.result() == done
        assert await stage.run_states() == [("done", None)]
        audited = await rows(database, "SELECT FROM audit_log WHERE action = 'schedule.trigger'")
        assert len(audited) == 1


async def test_a_trigger_that_temporal_has_forgotten_begins_nothing(database: Database, client: Client) -> None:
    endpoint = await opened(database)
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute(
            "INSERT INTO manual_triggers (tenant_id, manual_trigger_id, project_id, endpoint_id, workflow_id, actor, at)"
            " VALUES ('acme', 'old', 'main', %(endpoint)s, %(workflow)s, 'ada', clock_timestamp() - interval '90 days')",
            {
                "endpoint": endpoint.endpoint_id,
                "workflow": f"sync/acme/main/{endpoint.endpoint_id}/trigger/old",
            },
        )

    found = await starting.trigger(client, database, endpoint, "old", OPERATOR)

    assert found.again
    with pytest.raises(RPCError):
        await found.handle.describe()


@pytest.mark.req("OR-23")
async def test_a_trigger_of_another_endpoint_is_refused(database: Database, client: Client) -> None:
    shop = Turnstile(things=1)
    shop.lets()
    async with staged(database, client, shop) as stage:
        other = await opened(database)
        await starting.trigger(client, database, stage.endpoint, "mine", OPERATOR)

        with pytest.raises(ValidationFailure, match="another endpoint"):
            await starting.trigger(client, database, other, "mine", OPERATOR)


def broken() -> Shop:
    """A source that fails until somebody puts `asked` right."""
    shop = Shop()
    shop.puts("apple")

    def asked(_: object) -> None:
        raise ValidationFailure("not what was agreed")

    shop.asked = asked
    return shop


@pytest.mark.req("OR-20", "OR-21", "OR-22")
async def test_a_lifecycle_that_waits_hears_of_a_pause_later_if_not_at_once_and_another_time_ends_no_wait(
    database: Database, client: Client
) -> None:
    shop = broken()
    async with staged(database, client, shop, schedule=SELDOM) as stage:
        who = (ACME, stage.endpoint.endpoint_id, OPERATOR)
        begun = await starting.trigger(client, database, stage.endpoint, "first", OPERATOR)
        await stage.until("Backoff")
        moved = await scheduling.reschedule(database, *who, schedule="29d")
        await scheduling.carry_out(client, moved)
        assert await signals(begun.handle) == [], "future runs follow it, and a wait is as long as it was"

        # Temporal does not answer, or the process dies: what was decided stands, and nobody was told
        paused = await scheduling.pause(database, *who, "the source is being moved")
        await until_so(lambda: is_told(client, paused, begun.workflow_id))
        assert (await stage.until("Paused")).reason == "the source is being moved"
        second = await starting.trigger(client, database, stage.endpoint, "second", OPERATOR)
        await until_so(lambda: has_failed(stage, second.workflow_id))
        assert (await told(client, paused)) == (), "one that a person began meanwhile goes all the same"

        shop.asked = lambda _: None
        resumed = await scheduling.resume(database, *who, None)
        await until_so(lambda: is_told(client, resumed, begun.workflow_id))
        await begun.handle.result()
        assert await signals(begun.handle) == ["pause", "resume"]
        await second.handle.terminate()
        await schedules.remove(client, schedules.schedule_id(stage.endpoint))


async def told(client: Client, meant: Scheduled) -> tuple[str, ...]:
    """As every process that stays does each minute."""
    return (await schedules.rebuild(client, [(meant.endpoint, meant.controls)])).told


async def is_told(client: Client, meant: Scheduled, workflow_id: str) -> bool:
    return await told(client, meant) == (workflow_id,)


async def has_failed(stage: Stage, workflow_id: str) -> bool:
    return (workflow_id, "Backoff") in [(step.workflow_id, step.state) for step in await stage.steps()]


async def signals(handle: Any) -> list[str]:
    """What it was told from outside."""
    return [
        event.workflow_execution_signaled_event_attributes.signal_name
        async for event in handle.fetch_history_events()
        if event.HasField("workflow_execution_signaled_event_attributes")
        and event.workflow_execution_signaled_event_attributes.signal_name in ("pause", "resume")
    ]


async def test_a_pause_says_why(database: Database) -> None:
    endpoint = await opened(database)

    with pytest.raises(ValidationFailure, match="says nothing"):
        await scheduling.pause(database, ACME, endpoint.endpoint_id, OPERATOR, " ")
