"""The controls of an endpoint's page: they do what the domain does, say what they did, and leave a line in the trail."""

import uuid
from pathlib import Path

import pytest
from markupsafe import escape
from temporalio.client import Client
from tests.integration.console.pages.fields import connect, endpoint
from tests.integration.console.pages.visitors import Console, console
from tests.integration.orchestration.conftest import made_namespace

from windrow.postgres import Database, audit
from windrow.web.principal import Role


async def trail(database: Database) -> list[tuple[str, str, str | None]]:
    async with database.tenant("acme") as tx:
        entries = await audit.history(tx, subject="endpoints/github")
    return [(entry.actor, entry.action, entry.reason) for entry in reversed(entries)]


@pytest.mark.req("OR-20", "OR-21", "OR-22", "OR-23")
async def test_an_operator_steers_an_endpoint_from_its_page(
    database: Database, tmp_path: Path, temporal_address: str
) -> None:
    client = await Client.connect(temporal_address, namespace=await made_namespace(temporal_address))
    with connect(database.url) as connection:
        endpoint(connection, "github")

    async def temporal() -> Client:
        return client

    async with console(database, tmp_path, temporal=temporal) as site:
        visitor = await site.visitor(Role.WRITER)
        wanted = uuid.uuid4().hex
        for act, fields, did in (
            ("pause", {"reason": "a rest"}, "pause"),
            ("trigger", {"manual_trigger_id": wanted}, "trigger"),
            ("trigger", {"manual_trigger_id": wanted}, "trigger-again"),
            ("resume", {}, "resume"),
            ("reschedule", {"schedule": "0 6 * * mon-fri", "time_zone": "Europe/Berlin", "jitter": "5"}, "reschedule"),
        ):
            answered = await visitor.send(f"/endpoints/github/{act}", **fields)
            assert (answered.status_code, answered.headers.get("location")) == (303, f"/endpoints/github?did={did}"), (
                act
            )
        shown = await visitor.see("/endpoints/github?did=reschedule")
        description = await client.get_schedule_handle("sync/acme/main/github").describe()

    assert "Rescheduled. Runs from here on follow the new schedule." in shown
    assert "0 6 * * mon-fri, Europe/Berlin, within 5 min" in shown
    assert (description.schedule.spec.time_zone_name, description.schedule.state.paused) == ("Europe/Berlin", False)
    assert [line for line in await trail(database) if line[1].startswith("schedule.")] == [
        ("anna", "schedule.pause", "a rest"),
        ("anna", "schedule.trigger", None),
        ("anna", "schedule.resume", None),
        ("anna", "schedule.reschedule", None),
    ]


async def test_what_is_decided_stands_while_temporal_is_away(site: Console) -> None:
    with connect(site.database.url) as connection:
        endpoint(connection, "github")
    visitor = await site.visitor()

    answered = await visitor.send("/endpoints/github/pause", reason="a rest")

    assert answered.headers["location"] == "/endpoints/github?did=pause&did=away"
    shown = await visitor.see(answered.headers["location"])
    assert "Temporal could not be told yet" in shown
    assert "a rest" in shown
    assert await trail(site.database) == [("anna", "schedule.pause", "a rest")]


async def test_what_is_refused_is_said_beside_the_form_with_what_was_written(site: Console) -> None:
    with connect(site.database.url) as connection:
        endpoint(connection, "github")
    visitor = await site.visitor()

    for act, fields, status, words in (
        ("pause", {"reason": " "}, 400, "the reason says nothing"),
        ("pause", {"reason": "x" * 1001}, 422, "the reason is too long"),
        ("reschedule", {"schedule": "every <noon"}, 400, "the schedule is refused"),
        ("reschedule", {"schedule": "1h", "time_zone": "Mars/Olympus"}, 422, "there is no time zone"),
        ("reschedule", {"schedule": "1h", "jitter": "soon"}, 422, "is no number of minutes"),
        ("trigger", {"manual_trigger_id": "x"}, 503, "no Temporal is known"),
    ):
        answered = await visitor.send(f"/endpoints/github/{act}", **fields)
        assert (answered.status_code, words in answered.text) == (status, True), (act, answered.status_code)
        assert 'role="alert"' in answered.text
        assert "schedule" not in fields or f'value="{escape(fields["schedule"])}"' in answered.text
    assert await trail(site.database) == []
