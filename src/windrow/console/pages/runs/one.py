"""`/runs/{run_id}`: one run, step by step: what it read, what became of that, and what it waits for."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from windrow.console.pages.charts import Chart, columns
from windrow.console.pages.conditions import OUTCOMES
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.pages.runs import log
from windrow.console.pages.words import plural
from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.harvest import run as store
from windrow.harvest import steering
from windrow.harvest.cursors import Cursors
from windrow.harvest.run import Run, Verified
from windrow.outbox import reading as outbox
from windrow.outbox.lane import Lane
from windrow.outbox.reading import BatchGlance
from windrow.postgres import load
from windrow.postgres.pool import Row
from windrow.web.problem import Refusal

Q = load(__package__, "runs.sql")

BATCHES, FEWEST = 60, 20
TONES = {
    "Pending": "calm",
    "Running": "busy",
    "WaitingCursorAdvance": "warn",
    "Backoff": "warn",
    "Paused": "calm",
    "Completed": "good",
    "Failed": "bad",
    "Cancelled": "calm",
}
# in the order in which the chart stacks them
FATES = ("created", "updated", "deleted", "unchanged", "outdated", "discarded")


class RunPage:
    """One run."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._temporal_pages = desk.database, desk.temporal_pages

    async def look(self, visit: Visit) -> View:
        scope, run_id = visit.principal.scope, _run_id(visit)
        async with self._database.tenant(scope.tenant_id) as tx:
            run = await store.run_of(tx, scope.project_id, run_id)
            if run is None:
                raise _missing(run_id)
            became = await store.verify(tx, run_id)
            batches = await outbox.latest(tx, run_id, limit=BATCHES)
            place = {"project": scope.project_id, "endpoint": run.endpoint_id, "run_id": run_id}
            steps = await tx.rows(Q.steps, **place, begun_at=run.begun_at, ended_at=run.ended_at)
            refused = await tx.rows(Q.refused, **place, begun_at=run.begun_at)
            said = await log.look(tx, run_id, log.Asked.of(visit.request.query_params))
            lane = Lane(scope, run.endpoint_id, run.lane)
            left = await steering.left_by(tx, Cursors(lane, "harvester"), run_id)
        steps.reverse()
        context: dict[str, Any] = {
            "run": run,
            "outcomes": OUTCOMES,
            "tones": TONES,
            "fates": _fates(became, run),
            "pending": became.pending,
            "total": became.batches,
            "batches": batches,
            "flow": _flow(batches),
            "steps": steps,
            "waiting": _waiting(steps, run_id),
            "quarantined": refused,
            "log": said,
            "levels": log.TONES,
            "partial": left,
            "temporal": self._link(steps),
        }
        return View(
            "runs/one.html",
            f"Run {run_id}",
            "runs",
            context,
            "runs/one_live.html",
            f"/live/runs/{quote(run_id, safe='')}{said.here}",
        )

    def _link(self, steps: Sequence[Row]) -> str | None:
        if not steps or not self._temporal_pages:
            return None
        return f"{self._temporal_pages}/workflows/{quote(steps[0]['workflow_id'], safe='')}"


def _fates(became: Verified, run: Run) -> dict[str, int]:
    """From the batches while they are kept, from the run's own account afterwards."""
    known = store.as_document(became) if became.batches else run.settled or {}
    return {fate: known.get(fate) or 0 for fate in FATES}


def _flow(batches: Sequence[BatchGlance]) -> Chart:
    series: list[dict[str, float]] = [
        {batch.status: batch.items}
        if batch.status in ("pending", "discarded")
        else {fate: getattr(batch, fate) or 0 for fate in ("created", "updated", "deleted", "unchanged")}
        for batch in reversed(batches)
    ]
    items = sum(batch.items for batch in batches)
    # one batch is a column among others to come, not all that there is
    empty: list[dict[str, float]] = [{}]
    return columns(
        series + empty * (FEWEST - len(series)),
        f"The last {plural(len(batches), 'batch', 'batches')} with {plural(items, 'item')}.",
        width=480,
        height=64,
    )


def _waiting(steps: Sequence[Row], run_id: str) -> Row | None:
    """The step that says until when it waits, if it does now."""
    last = steps[-1] if steps else None
    due = last["next_retry_at"] if last else None
    return last if last and last["run_id"] == run_id and due and due > datetime.now(UTC) else None


def _run_id(visit: Visit) -> str:
    run_id: str = visit.request.path_params["run_id"]
    if "\0" in run_id or len(run_id) > 200:
        raise _missing(run_id)
    return run_id


def _missing(run_id: str) -> Refusal:
    return Refusal(
        404, f"there is no run {run_id[:80]!r}", code=Code.NOT_FOUND, hint="the list of runs shows those that are there"
    )
