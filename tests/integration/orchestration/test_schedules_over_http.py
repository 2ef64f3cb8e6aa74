"""`/api/v1/endpoints/{name}/schedule` against a real Temporal: what operators decide, and what of it is left behind."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from tests.integration.console.house import House, house
from tests.integration.harvest.shop import Shop
from tests.integration.orchestration.stage import Stage, staged

from windrow import kv
from windrow.contracts.keys import Key
from windrow.orchestration import schedules
from windrow.postgres import Database, audit


@dataclass(slots=True)
class Desk:
    """An operator's: the HTTP application beside the workers."""

    house: House
    stage: Stage

    async def ask(self, act: str, said: dict[str, Any] | None = None, token: str = "token-of-acme") -> Any:
        path = f"/api/v1/endpoints/{self.stage.endpoint.endpoint_id}/schedule"
        if said is None:
            return await self.house.call("GET", path, token=token)
        return await self.house.call("POST", f"{path}/{act}", token=token, json=said)

    async def paused_in_temporal(self) -> bool:
        handle = self.stage.client.get_schedule_handle(schedules.schedule_id(self.stage.endpoint))
        return (await handle.describe()).schedule.state.paused

    async def audited(self) -> list[audit.Entry]:
        async with self.stage.database.tenant("acme") as tx:
            return [line for line in await audit.history(tx) if line.action.startswith("schedule.")]


@pytest.fixture
async def desk(database: Database, client: Client, tmp_path: Path) -> AsyncIterator[Desk]:
    shop = Shop()
    shop.puts("apple")

    async def temporal() -> Client:
        return client

    async with (
        staged(database, client, shop, schedule="@daily") as stage,
        house(database, tmp_path, temporal=temporal) as open_house,
    ):
        yield Desk(open_house, stage)
        await schedules.remove(client, schedules.schedule_id(stage.endpoint))


@pytest.mark.req("OR-20")
async def test_a_pause_holds_the_schedule_and_leaves_its_reason(desk: Desk) -> None:
    answer = await desk.ask("pause", {"reason": "the source moves house"})

    assert answer.status_code == 200
    assert answer.json()["held_back"] == "paused: the source moves house"
    assert await desk.paused_in_temporal()
    (line,) = await desk.audited()
    assert (line.actor, line.authority, line.reason) == ("anna", "test", "the source moves house")
    key = Key.of(desk.stage.endpoint.scope, "schedule", desk.stage.endpoint.endpoint_id, "annotation")
    noted = await kv.get(desk.stage.database, key)
    assert noted
    assert noted.value["paused"] is True


@pytest.mark.req("OR-21")
async def test_a_resume_names_who_allowed_it(desk: Desk) -> None:
    await desk.ask("pause", {"reason": "a while"})

    answer = await desk.ask("resume", {"reason": "it is over"})

    assert answer.json()["held_back"] is None
    assert not await desk.paused_in_temporal()
    line = (await desk.audited())[0]
    assert (line.action, line.authority) == ("schedule.resume", "test")


@pytest.mark.req("OR-22")
async def test_another_time_is_for_future_runs(desk: Desk) -> None:
    answer = await desk.ask("reschedule", {"schedule": "30 6 * * mon-fri", "time_zone": "Europe/Berlin"})

    assert answer.json()["schedule"] == "30 6 * * mon-fri"
    handle = desk.stage.client.get_schedule_handle(schedules.schedule_id(desk.stage.endpoint))
    spec = (await handle.describe()).schedule.spec
    assert spec.time_zone_name == "Europe/Berlin"
    assert spec.calendars[0].minute[0].start == 30


@pytest.mark.parametrize(
    "said",
    [
        {"schedule": "61 * * * *"},
        {"schedule": "whenever"},
        {"schedule": "@daily", "time_zone": "Mars/Olympus"},
        {"schedule": "@daily", "jitter_seconds": 99999},
        {"schedule": "@daily", "unknown": 1},
    ],
)
async def test_what_no_schedule_is_is_refused_and_changes_nothing(desk: Desk, said: dict[str, Any]) -> None:
    answer = await desk.ask("reschedule", said)

    assert answer.status_code in (400, 422)
    assert (await desk.ask("show")).json()["schedule"] == "@daily"
    assert await desk.audited() == []


@pytest.mark.req("OR-23")
async def test_the_same_trigger_twice_is_one_run(desk: Desk) -> None:
    first = await desk.ask("trigger", {"manual_trigger_id": "today"})
    await desk.stage.client.get_workflow_handle(first.json()["workflow_id"]).result()
    second = await desk.ask("trigger", {"manual_trigger_id": "today"})

    assert (first.status_code, second.status_code) == (202, 200)
    assert second.json()["again"] is True
    assert await desk.stage.states() == ["Pending", "Running", "Completed"]
    assert len(await desk.audited()) == 1


async def test_a_trigger_runs_also_while_paused_and_says_so(desk: Desk) -> None:
    await desk.ask("pause", {"reason": "a while"})

    answer = await desk.ask("trigger", {"manual_trigger_id": "now"})
    await desk.stage.client.get_workflow_handle(answer.json()["workflow_id"]).result()

    assert answer.json()["held_back"] == "paused: a while"
    assert (await desk.stage.items())["apple"] is False


async def test_a_reader_decides_nothing(desk: Desk) -> None:
    answer = await desk.ask("pause", {"reason": "no"}, token="token-of-a-reader")

    assert answer.status_code == 403


async def test_another_tenant_does_not_even_see_the_endpoint(desk: Desk) -> None:
    answer = await desk.ask("pause", {"reason": "no"}, token="token-of-other")

    assert answer.status_code == 404
