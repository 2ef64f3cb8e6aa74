"""Runs the probe: a worker of its own for the length of one workflow, so that no other worker is needed or disturbed."""

import uuid
from datetime import timedelta

from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from windrow import kv
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.keys import Key
from windrow.contracts.scope import Actor, Scope
from windrow.orchestration.probe import READ, WRITE, ProbeInput, ProbeResult, ProbeWorkflow
from windrow.postgres import Database

_SEMANTICS = kv.Semantics(kv.Purpose.CHECKPOINT, producer="probe", consumer_hints=("windrow doctor",))
_WRITER = kv.Writer("orchestrator", "probe")
_ACTOR = Actor("probe", "windrow doctor")


def probe_key(scope: Scope) -> Key:
    """Where the probe leaves its checkpoint."""
    return Key.of(scope, "probe", "checkpoint")


class ProbeActivities:
    """The two steps that touch the world."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @activity.defn(name=WRITE)
    async def write(self, given: ProbeInput) -> int:
        """Put the note over whatever version is there; a retried attempt is the same request."""
        key = probe_key(Scope(given.tenant_id, given.project_id))
        seen = await kv.get(self._database, key)
        outcome = await kv.put(
            self._database,
            key,
            {"note": given.note},
            expected_version=seen.version if seen else 0,
            request_id=activity.info().workflow_id or given.note,
            semantics=_SEMANTICS,
            writer=_WRITER,
            actor=_ACTOR,
        )
        if isinstance(outcome, kv.Stale):
            raise outcome.conflict(key)
        return outcome.version

    @activity.defn(name=READ)
    async def read(self, given: ProbeInput) -> str:
        """The note that is there."""
        found = await kv.get(self._database, probe_key(Scope(given.tenant_id, given.project_id)))
        return str(found.value["note"]) if found else ""


async def round_trip(client: Client, database: Database, scope: Scope) -> ProbeResult:
    """Write a checkpoint through Temporal and read it back."""
    name = f"probe-{uuid.uuid4().hex}"
    steps = ProbeActivities(database)
    async with Worker(
        client,
        task_queue=name,
        workflows=[ProbeWorkflow],
        activities=[steps.write, steps.read],
        # the probe is deterministic by inspection, and the sandbox costs most of a second to import everything anew
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        try:
            result: ProbeResult = await client.execute_workflow(
                ProbeWorkflow.run,
                ProbeInput(scope.tenant_id, scope.project_id, name),
                id=name,
                task_queue=name,
                execution_timeout=timedelta(seconds=30),
            )
        except WorkflowFailureError as error:
            raise RetryableTransient(
                f"the probe failed: {error.cause}",
                code=Code.UNAVAILABLE,
                hint="run it again; see the workflow in Temporal",
            ) from error
    if result.note != name:
        raise RetryableTransient("another probe wrote at the same time", code=Code.CONTENTION, hint="run it again")
    return result
