"""`windrow jobs`: work that survives its worker, from a shell."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from windrow.app.compose import acting_for
from windrow.cli import show
from windrow.cli.frame import Json, Project, Reason, Tenant, command, operator
from windrow.cli.jobs_download import download
from windrow.cli.jobs_submit import submit
from windrow.cli.jobs_watch import details, watch
from windrow.cli.jobs_work import clean_scratch, work
from windrow.jobs import control, reading
from windrow.jobs.job import Job, JobEvent, Status
from windrow.telemetry import redact

jobs = typer.Typer(help="Jobs: what is to be done, by whom it is done, and what became of it.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]

COLUMNS = ("job", "kind", "status", "progress", "attempt", "created", "ended", "error")

jobs.command("submit")(submit)


@jobs.command("list")
@command
async def listed(
    status: Annotated[Status | None, typer.Option(help="Only those that stand there.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only those of this kind.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")] = 20,
    before: Annotated[str | None, typer.Option(help="Only those before this one: the next page.")] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """The newest jobs first."""
    async with acting_for(tenant) as tx:
        found = await reading.listed(tx, project=project, status=status, kind=kind, before=before, limit=limit)
    if json:
        show.document([document(job) for job in found])
    else:
        show.table(map(row, found), COLUMNS, empty="No jobs there: `windrow jobs submit` makes one.")


@jobs.command("show")
@command
async def one(job_id: Id, tenant: Tenant = None, json: Json = False) -> None:
    """Everything about a job: where it stands, what it has made, and what befell it."""
    async with acting_for(tenant) as tx:
        found = await reading.find(tx, job_id)
        if found is None:
            raise reading.not_found(job_id)
        befell = await reading.events(tx, job_id)
    if json:
        show.document({**document(found), "events": befell})
        return
    shown = {name: value for name, value in document(found).items() if value is not None and name != "traceback"}
    show.pairs(shown)
    lines = [asdict(event) | {"details": details(event)} for event in without_repeats(befell)]
    show.table(lines, ("at", "event", "attempt", "epoch", "worker", "details"), empty="")


jobs.command("watch")(watch)
jobs.command("download")(download)


@jobs.command()
@command
async def cancel(job_id: Id, reason: Reason = None, tenant: Tenant = None, json: Json = False) -> None:
    """End a job: one that waits at once, one that runs as soon as its worker has stopped it."""
    async with acting_for(tenant) as tx:
        status = await control.cancel(tx, job_id, actor=operator(), reason=reason)
    outcome = "cancelled" if status is Status.CANCELLED else "its worker is asked to stop"
    (show.document if json else show.pairs)({"job": job_id, "status": status, "outcome": outcome})


@jobs.command()
@command
async def retry(job_id: Id, reason: Reason = None, tenant: Tenant = None, json: Json = False) -> None:
    """Try a job again that has failed or was cancelled."""
    async with acting_for(tenant) as tx:
        await control.retry(tx, job_id, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"job": job_id, "status": Status.QUEUED, "outcome": "queued again"})


jobs.command("work")(work)
jobs.command("clean-scratch")(clean_scratch)


def document(job: Job) -> dict[str, Any]:
    """A job as it is shown: an address in its payload may have been given with a password."""
    told = asdict(job)
    payload = job.payload
    if isinstance(payload, dict):
        payload = {name: redact(value) if isinstance(value, str) else value for name, value in payload.items()}
    return told | {"payload": payload}


def row(job: Job) -> dict[str, Any]:
    """A line of the list."""
    return {
        "job": job.job_id,
        "kind": job.kind,
        "status": job.status,
        "progress": None if job.progress is None else f"{job.progress:.0f} %",
        "attempt": f"{job.attempt_count}/{job.max_attempts}",
        "created": job.created_at,
        "ended": job.finished_at,
        "error": reason_of(job),
    }


def reason_of(job: Job) -> str | None:
    """Why it failed, or is going to be tried again."""
    if job.status is Status.DONE or not job.error_code:
        return None
    codes = dict.fromkeys(code for code in (job.failure_code, job.error_code) if code)
    return f"{' '.join(codes)}: {job.error}"


def without_repeats(befell: list[JobEvent]) -> list[JobEvent]:
    """What befell a job; of progress that follows progress, the last."""
    follows = [*befell[1:], None]
    return [one for one, then in zip(befell, follows, strict=True) if then is None or one.event != then.event]
