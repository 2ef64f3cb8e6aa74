"""`/api/v1/runs`: what each run read, how it ended, where it waits, and what was said about it."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel

from windrow.console.api.access import Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import OfEndpoint
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.harvest import lines as log
from windrow.harvest import run as store
from windrow.harvest import steering
from windrow.harvest.cursors import Cursors
from windrow.harvest.lines import Line
from windrow.harvest.run import Mark, Run, Verified
from windrow.orchestration import controls
from windrow.outbox import reading as outbox
from windrow.outbox.lane import Lane
from windrow.outbox.reading import BatchGlance
from windrow.postgres import Transaction
from windrow.telemetry.declare import Level

router = resource("runs")

MOST_STEPS = 100
RunId = Annotated[str, Path(max_length=200, pattern=r"^[!-~]+$", description="The whole id of the run.")]

AtLeast = Annotated[Level, Query(description="Only lines of this level and above.")]


class Step(BaseModel):
    """A step of the lifecycle: where the run stood, why, and until when it waits."""

    at: datetime
    state: str
    reason: str | None
    error_class: str | None
    code: str | None
    failures: int
    next_retry_at: datetime | None


class RunView(BaseModel):
    """A run with what became of its batches, its steps in order, and what a failure left behind (HV-32)."""

    run: Run
    in_outbox: Verified
    steps: list[Step]
    partial: dict[str, Any] | None


@router.get("/runs")
async def listed(caller: Reader, here: Here, asked: Paged, endpoint: OfEndpoint = None) -> Page[Run]:
    """The latest runs first."""
    turn = asked.about("runs", Mark, endpoint=endpoint)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await store.page(tx, caller.scope.project_id, endpoint=endpoint, after=turn.after, limit=turn.ask_for)
    return turn.page(found, Mark.at)


@router.get("/runs/{run_id}")
async def shown(caller: Reader, here: Here, run_id: RunId) -> RunView:
    """Everything about one run."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        run = await find(tx, caller.scope, run_id)
        return RunView(
            run=run,
            in_outbox=await store.verify(tx, run_id),
            steps=await _steps(tx, caller.scope, run),
            partial=await _partial(tx, caller.scope, run),
        )


@router.get("/runs/{run_id}/batches")
async def batches(caller: Reader, here: Here, asked: Paged, run_id: RunId) -> Page[BatchGlance]:
    """The batches of a run in their order; settled ones are kept for some days."""
    turn = asked.about("batches", int, run_id=run_id)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await find(tx, caller.scope, run_id)
        found = await outbox.batches(tx, run_id, after=turn.after or 0, limit=turn.ask_for)
    return turn.page(found, lambda batch: batch.seq)


@router.get("/runs/{run_id}/lines")
async def lines(caller: Reader, here: Here, asked: Paged, run_id: RunId, level: AtLeast = Level.INFO) -> Page[Line]:
    """The log lines of a run in the order in which they were written down; they are kept for some days.

    Of very many the first, the latest and the serious ones are kept: without a level, a gap between two numbers is what was
    left out.
    """
    turn = asked.about("lines", int, run_id=run_id, level=level)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await find(tx, caller.scope, run_id)
        found = await log.lines(tx, run_id, after=turn.after or 0, level=level, limit=turn.ask_for)
    return turn.page(found, lambda line: line.number)


async def find(tx: Transaction, scope: Scope, run_id: str) -> Run:
    """The run of this whole id, if it is one of the project."""
    found = await store.run_of(tx, scope.project_id, run_id)
    if found is None:
        raise ValidationFailure(f"there is no run {run_id[:60]!r}", code=Code.NOT_FOUND, hint="GET /api/v1/runs")
    return found


async def _steps(tx: Transaction, scope: Scope, run: Run) -> list[Step]:
    steps = await controls.steps(tx, scope, run.endpoint_id, limit=MOST_STEPS)
    return [
        Step(**{name: getattr(step, name) for name in Step.model_fields})
        for step in reversed(steps)
        if step.run_id == run.run_id
    ]


async def _partial(tx: Transaction, scope: Scope, run: Run) -> dict[str, Any] | None:
    return await steering.left_by(tx, Cursors(Lane(scope, run.endpoint_id, run.lane), "harvester"), run.run_id)
