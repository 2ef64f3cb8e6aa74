"""A checkpoint through Temporal and Postgres: the shortest path that touches everything a run will need.

The workflow asks an activity to write a checkpoint by compare-and-set and another to read it back.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy

WRITE = "probe.write_checkpoint"
READ = "probe.read_checkpoint"


@dataclass(frozen=True, slots=True)
class ProbeInput:
    """Where to write, and what."""

    tenant_id: str
    project_id: str
    note: str


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The version that was written, and the note as it was read back."""

    version: int
    note: str


@workflow.defn(name="probeWorkflow")
class ProbeWorkflow:
    """Write, then read."""

    @workflow.run
    async def run(self, given: ProbeInput) -> ProbeResult:
        version: int = await _step(WRITE, given, int)
        note: str = await _step(READ, given, str)
        return ProbeResult(version, note)


async def _step(name: str, given: ProbeInput, result: type) -> Any:
    once_more = RetryPolicy(maximum_attempts=3)
    return await workflow.execute_activity(
        name, given, result_type=result, start_to_close_timeout=timedelta(seconds=10), retry_policy=once_more
    )
