"""What a run says, line by line."""

import base64
import re

import pytest
from temporalio.client import Client, WorkflowFailureError
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, Shop, ShopConnector
from tests.integration.orchestration.stage import Stage, staged, until_said

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.orchestration import names
from windrow.postgres import Database
from windrow.specs import load
from windrow.telemetry import catalogue
from windrow.telemetry.redaction import PROCESS

STEPS = (
    "context.acquired",
    "cursor.resolved",
    "harvest.started",
    "harvest.published",
    "harvest.ended",
    "batches.persisted",
    "harvest.verified",
    "cursor.advanced",
    "run.finalized",
)
OF_A_RUN = ("agent", "directive", "tenant_id", "project_id", "spec_id", "workflow_id", "run_id", "correlation_id")


def shelf() -> Shop:
    shop = Shop()
    shop.puts("apple", "pear")
    return shop


def refusing(error: Exception) -> Shop:
    shop = shelf()

    def asked(_: object) -> None:
        raise error

    shop.asked = asked
    return shop


@pytest.mark.req("MW-17", "MW-60", "MW-10", "MW-11", "MW-16")
async def test_the_steps_of_a_run_are_said_in_their_order(database: Database, client: Client, said: Said) -> None:
    async with staged(database, client, shelf()) as stage:
        await (await stage.start()).result()

        lines = [line for line in said.lines if line["event"] in STEPS]
        order = [line["event"] for line in lines]
        assert list(dict.fromkeys(order)) == sorted(dict.fromkeys(order), key=STEPS.index)
        assert set(order) == set(STEPS)
        by_step = {line["event"]: line for line in lines}
        for step in ("context.acquired", "cursor.resolved", "batches.persisted", "run.finalized"):
            assert by_step[step]["level"] == "INFO"
            assert (by_step[step]["agent"], by_step[step]["directive"]) == ("meta-worker", names.COLLECTION)
        assert by_step["run.finalized"]["outcome"] == "done"
        assert by_step["cursor.advanced"]["before"] != by_step["cursor.advanced"]["after"]


@pytest.mark.req("OR-40", "MW-60")
async def test_every_line_of_a_run_says_whose_it_is(database: Database, client: Client, said: Said) -> None:
    async with staged(database, client, shelf()) as stage:
        handle = await stage.start()
        done = await handle.result()

        known = catalogue.events()
        about = [
            line
            for line in said.lines
            if line["event"].split(".")[0] in ("sync", "run", "cursor", "context", "harvest")
        ]
        assert about
        for line in about:
            assert [name for name in OF_A_RUN if line.get(name, "unknown") == "unknown"] == [], line
            assert (line["tenant_id"], line["project_id"]) == (ACME.tenant_id, ACME.project_id)
            assert line["run_id"] == done["run_id"]
            assert line["workflow_id"] in (handle.id, stage.collection_id)
            assert line["level"] == known[line["event"]].level
            assert set(known[line["event"]].fields) <= line.keys()
        assert {line["correlation_id"] for line in about} == {(await handle.describe()).run_id}
        assert {line["spec_id"] for line in about} == {names.SYNC_SPEC, ShopConnector.spec.spec_ref}


def test_the_lifecycle_names_the_spec_of_its_directive() -> None:
    assert f"directive.{names.ENDPOINT_SYNC}@{load().directives[names.ENDPOINT_SYNC].version}" == names.SYNC_SPEC


@pytest.mark.req("OR-25")
async def test_without_news_the_cursor_is_not_touched_and_the_endpoint_was_looked_at(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, Shop()) as stage:
        await (await stage.start()).result()
        said.raw.clear()
        await (await stage.start()).result()

        assert said.events("cursor.advanced") == []
        assert [line["outcome"] for line in said.events("run.finalized")] == ["done"]


@pytest.mark.req("OR-40", "OR-32")
async def test_a_recoverable_failure_is_a_warning_with_the_time_of_the_next_try(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, refusing(ValidationFailure("not what was agreed"))) as stage:
        await stage.start()
        step = await stage.until("Backoff")
        backed_off = await until_said(said, "sync.backed_off")

        started, failed = said.events("sync.started")[0], said.events("run.failed")[0]
        assert (started["level"], started["directive"], started["trigger"]) == ("INFO", names.ENDPOINT_SYNC, "schedule")
        assert (backed_off["level"], backed_off["failures"]) == ("WARN", 1)
        assert step.next_retry_at
        assert backed_off["next_retry_at"] == step.next_retry_at.isoformat()
        assert (failed["level"], failed["error_class"]) == ("ERROR", "ValidationFailure")
        assert failed["spec_id"] == ShopConnector.spec.spec_ref


@pytest.mark.req("OR-40", "MW-23", "MW-60")
async def test_what_only_a_person_can_mend_is_said_as_fatal_before_the_end(
    database: Database, client: Client, said: Said
) -> None:
    error = Fatal("the token was revoked", code=Code.UNAUTHORIZED, hint="give it another")
    async with staged(database, client, refusing(error)) as stage:
        await failed(stage)

        ends = [line for line in said.lines if line["event"] in ("run.aborted", "sync.failed")]
        assert [(line["event"], line["level"]) for line in ends] == [("run.aborted", "FATAL"), ("sync.failed", "ERROR")]
        assert {line["code"] for line in ends} == {"UNAUTHORIZED"}
        assert said.events("attempt.retried") == []


async def failed(stage: Stage) -> None:
    with pytest.raises(WorkflowFailureError):
        await (await stage.start()).result()


async def test_a_secret_that_an_error_quotes_does_not_reach_the_history(database: Database, client: Client) -> None:
    PROCESS.know("hunter2-hunter2")
    shop = refusing(Fatal("refused with the token hunter2-hunter2", code=Code.UNAUTHORIZED))
    async with staged(database, client, shop) as stage:
        await failed(stage)

        for workflow_id in (stage.collection_id, (await stage.steps())[-1].workflow_id):
            history = await client.get_workflow_handle(workflow_id).fetch_history()
            assert "refused with the token" in base64_opened(history.to_json())
            assert "hunter2" not in base64_opened(history.to_json())
        assert "hunter2" not in ((await stage.steps())[-1].reason or "")


def base64_opened(told: str) -> str:
    """The history with its payloads as they were before they were encoded."""
    opened = [base64.b64decode(data).decode(errors="replace") for data in re.findall(r'"data":\s*"([^"]+)"', told)]
    return told + "\n".join(opened)
