"""What people see of a run that failed half-way: how far it came and why, and of its cursor a fingerprint, never the token."""

import asyncio
import base64
import json
from typing import Any

import pytest
from temporalio.client import Client
from tests.integration.harvest.shop import Shop
from tests.integration.orchestration.stage import Stage, staged
from typer.testing import CliRunner

from windrow.cli.tree import tree
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.page import Cursor
from windrow.postgres import Database

# what a source hands out to go on with: whoever has it reads as we do
TOKEN = "thing-049"


def half_broken() -> Shop:
    shop = Shop()
    shop.puts(*(f"thing-{number:03d}" for number in range(120)))

    def asked(cursor: Cursor) -> None:
        if cursor:
            raise ValidationFailure("the second page is not what was agreed")

    shop.asked = asked
    return shop


async def answered(stage: Stage) -> str:
    """All that the run's workflows answer and leave behind, opened."""
    step = await stage.until("Backoff")
    said = []
    for workflow_id, query in ((step.workflow_id, "lifecycle"), (stage.collection_id, "progress")):
        handle = stage.client.get_workflow_handle(workflow_id)
        said.append(str(await handle.query(query)))
        told = json.loads((await handle.fetch_history()).to_json())
        said.append("".join(opened(told)))
    return "".join(said)


def opened(told: Any) -> list[str]:
    if isinstance(told, list):
        return [text for one in told for text in opened(one)]
    if isinstance(told, dict):
        return [text for one in told.values() for text in opened(one)] + [
            base64.b64decode(told["data"]).decode() for _ in range("data" in told and "metadata" in told)
        ]
    return [str(told)]


@pytest.fixture
def at_a_shell(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path))
    monkeypatch.setenv("WINDROW_TENANT", "acme")
    monkeypatch.setenv("WINDROW_PROJECT", "main")


def typed(*words: str) -> str:
    done = CliRunner().invoke(tree, list(words))
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.req("MW-72", "OR-51")
@pytest.mark.usefixtures("at_a_shell")
def test_a_run_that_failed_half_way_says_how_far_it_came_and_shows_no_token(
    database_url: str, temporal_address: str, namespace: str
) -> None:
    async def play() -> tuple[str, str, str]:
        client = await Client.connect(temporal_address, namespace=namespace)
        async with (
            Database(database_url, size=10) as database,
            staged(database, client, half_broken(), page_size=50) as stage,
        ):
            await stage.start()
            said = await answered(stage)
            return said, stage.endpoint.endpoint_id, str((await stage.steps())[-1].run_id)

    said, endpoint_id, run_id = asyncio.run(play())

    shown = json.loads(typed("runs", "show", run_id, "--json"))
    partial = shown["partial"]
    assert (partial["pages"], partial["fetched"], partial["published"]) == (1, 50, 50)
    assert (partial["error_class"], partial["code"]) == ("ValidationFailure", "INVALID")
    assert partial["reason"] == "the second page is not what was agreed"
    assert partial["cursor"].startswith("fp:")
    assert [step["state"] for step in shown["steps"]][-1] == "Backoff"
    assert shown["steps"][-1]["next_retry_at"]
    for_people = typed("runs", "show", run_id)
    assert "the second page is not what was agreed" in for_people

    cursor = typed("cursor", "show", endpoint_id, "--json")
    assert json.loads(cursor)["cursor"] == partial["cursor"], "the same place has the same name"
    for where, text in {
        "runs show": for_people + json.dumps(shown),
        "cursor show": cursor + typed("cursor", "show", endpoint_id),
        "schedule show": typed("schedule", "show", endpoint_id, "--json"),
        "Temporal": said,
    }.items():
        assert TOKEN not in text, where
