"""Workflows of today replay what those of yesterday did: code may change under running workflows, their past may not."""

import asyncio
import uuid
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowHistory
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner, Worker
from temporalio.workflow import NondeterminismError

from windrow.orchestration import names
from windrow.orchestration.activities.retention import RetentionActivities
from windrow.orchestration.registry import WORKFLOWS
from windrow.orchestration.workflows.retention import KINDS, RetentionWorkflow

STORED = sorted((Path(__file__).parent / "histories").glob("*.json"))


def stored(name: str) -> WorkflowHistory:
    (path,) = [path for path in STORED if path.stem == name]
    return read(path)


def read(path: Path) -> WorkflowHistory:
    return WorkflowHistory.from_json(path.stem, path.read_text())


def replayer(*workflows: type) -> Replayer:
    return Replayer(workflows=workflows, workflow_runner=UnsandboxedWorkflowRunner())


def kind_of(history: WorkflowHistory) -> str:
    return history.events[0].workflow_execution_started_event_attributes.workflow_type.name


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
async def test_a_stored_history_replays(path: Path) -> None:
    every = [one for workflows in WORKFLOWS.values() for one in workflows]

    await replayer(*every).replay_workflow(read(path))


def test_every_workflow_has_a_stored_history() -> None:
    registered = {
        getattr(one, "__temporal_workflow_definition").name for workflows in WORKFLOWS.values() for one in workflows
    }

    assert {kind_of(read(path)) for path in STORED} == registered


@workflow.defn(name=names.RETENTION)
class Hasty(RetentionWorkflow):
    """Somebody has given it another first step, without a thought for those that run."""

    @workflow.run
    async def run(self) -> dict[str, int]:
        await asyncio.sleep(0.01)
        return await super().run()


@workflow.defn(name=names.RETENTION)
class Patched(RetentionWorkflow):
    """The same change, as docs/explanation/changing-workflows.md has it made: those that run go on as they were."""

    @workflow.run
    async def run(self) -> dict[str, int]:
        if workflow.patched("a-moment-before-the-first"):
            await asyncio.sleep(0.01)
        return await super().run()


@workflow.defn(name=names.RETENTION)
class Deprecated(RetentionWorkflow):
    """Later, when none is left that began before the change."""

    @workflow.run
    async def run(self) -> dict[str, int]:
        workflow.deprecate_patch("a-moment-before-the-first")
        await asyncio.sleep(0.01)
        return await super().run()


async def made_by(client: Client, changed: type[RetentionWorkflow]) -> WorkflowHistory:
    """A history that the changed workflow has made, on a real server."""

    async def nothing() -> int:
        return 0

    worker = Worker(
        client,
        task_queue=names.META_TS,
        workflows=[changed],
        activities=[RetentionActivities(dict.fromkeys(KINDS, nothing)).purge],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker:
        handle = await client.start_workflow(names.RETENTION, id=f"retention/{uuid.uuid4()}", task_queue=names.META_TS)
        await handle.result()
        return await handle.fetch_history()


async def test_a_changed_workflow_is_found_out() -> None:
    with pytest.raises(NondeterminismError):
        await replayer(Hasty).replay_workflow(stored("retention"))


async def test_a_patched_workflow_replays_what_began_before_it_and_what_began_after(client: Client) -> None:
    await replayer(Patched).replay_workflow(stored("retention"))
    await replayer(Patched).replay_workflow(await made_by(client, Patched))


async def test_a_patch_is_deprecated_only_when_none_is_left_that_began_before_it(client: Client) -> None:
    await replayer(Deprecated).replay_workflow(await made_by(client, Patched))
    with pytest.raises(NondeterminismError):
        await replayer(Deprecated).replay_workflow(stored("retention"))
