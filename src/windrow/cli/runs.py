"""`windrow runs`: what each run read, and how it ended."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from windrow.app.compose import acting_for
from windrow.cli import show
from windrow.cli.frame import Json, Tenant, command
from windrow.cli.runs_log import log
from windrow.cli.sync import size
from windrow.contracts.scope import Scope
from windrow.harvest import run as store
from windrow.harvest import steering
from windrow.harvest.cursors import Cursors
from windrow.harvest.run import Run
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction
from windrow.settings import read

runs = typer.Typer(help="The runs of the harvest: counts, outcomes, errors.", invoke_without_command=True)

COLUMNS = ("run", "lane", "began", "seconds", "outcome", "fetched", "of which")
SETTLED = ("created", "updated", "deleted", "unchanged")


@runs.callback(invoke_without_command=True)
def _listed(
    context: typer.Context,
    endpoint: Annotated[str | None, typer.Option(help="Only those of this endpoint.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")] = 20,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """The latest runs first."""
    if context.invoked_subcommand is None:
        _list(endpoint=endpoint, limit=limit, tenant=tenant, json=json)


@command
async def _list(*, endpoint: str | None, limit: int, tenant: str | None, json: bool) -> None:
    async with acting_for(tenant) as tx:
        found = await store.page(tx, None, endpoint=endpoint, limit=limit)
    if json:
        show.document(found)
    else:
        # almost all are live, and the room is needed for what they say
        shown = [column for column in COLUMNS if column != "lane" or any(run.lane != "live" for run in found)]
        show.table([_row(run) for run in found], shown, empty="No run yet: `windrow sync NAME` makes one.")


@runs.command("show")
@command
async def one(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="The run, or the beginning of its id.")],
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Everything about one run."""
    settings = read()
    async with acting_for(tenant) as tx:
        found = await store.find_run(tx, run_id)
        verified = await store.verify(tx, found.run_id)
        within = Scope(tenant or settings.tenant, found.project_id)
        lane = Lane(within, found.endpoint_id, found.lane)
        partial = await steering.left_by(tx, Cursors(lane, "harvester"), found.run_id)
        steps = await lifecycle(tx, within, found)
    about = {"in_outbox": store.as_document(verified), "partial": partial}
    if json:
        show.document(asdict(found) | about | {"steps": steps})
        return
    shown = asdict(found) | {"bytes": size(found.bytes)} | about
    show.pairs({name: value for name, value in shown.items() if value is not None})
    if steps:
        show.table(steps, ["at", "state", "reason", "next_retry_at"], empty="")


runs.command("log")(log)


async def lifecycle(tx: Transaction, scope: Scope, run: Run) -> list[dict[str, Any]]:
    """What its endpoint's lifecycle says about the run: where it waits, and until when."""
    from windrow.orchestration import controls

    steps = await controls.steps(tx, scope, run.endpoint_id, limit=100)
    return [
        {"at": step.at, "state": step.state, "reason": step.reason, "next_retry_at": step.next_retry_at}
        for step in reversed(steps)
        if step.run_id == run.run_id
    ]


def _row(run: Run) -> dict[str, Any]:
    counted = {**{name: (run.settled or {}).get(name) for name in SETTLED}, "quarantined": run.quarantined}
    return {
        "run": run.run_id,
        "lane": run.lane,
        "began": run.begun_at,
        "seconds": round((run.ended_at - run.begun_at).total_seconds(), 1) if run.ended_at else None,
        "outcome": f"{run.outcome} {run.code or ''}".strip() if run.outcome else run.state,
        "fetched": run.fetched,
        # most of them are 0 in most runs: eleven columns fit no terminal
        "of which": ", ".join(f"{count} {name}" for name, count in counted.items() if count) or None,
    }
