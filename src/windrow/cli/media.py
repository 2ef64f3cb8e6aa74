"""`windrow media`: media jobs, from a shell."""

from typing import Annotated, Any

import typer

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Project, Reason, Tenant, command, operator
from windrow.cli.media_show import document, one
from windrow.cli.media_submit import submit
from windrow.media import controlling, reading
from windrow.media.job import MediaJob
from windrow.media.stage import Stage
from windrow.settings import read

media = typer.Typer(
    help="Media jobs: enriched with what is known of their media, clipped, and announced.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(metavar="JOB", help="The media job's id.")]

COLUMNS = ("job", "stage", "type", "title", "request", "created", "error")

media.command("submit")(submit)
media.command("show")(one)


@media.command("list")
@command
async def listed(
    stage: Annotated[Stage | None, typer.Option(help="Only those that stand there.", case_sensitive=False)] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")] = 20,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """The newest media jobs first."""
    settings = read()
    async with opened(settings) as app, app.database.tenant(tenant or settings.tenant) as tx:
        found = await reading.listed(tx, project=project, stage=stage, limit=limit)
    if json:
        show.document([document(job) for job in found])
    else:
        show.table(map(row, found), COLUMNS, empty="No media jobs there: `windrow media submit` makes one.")


@media.command()
@command
async def retry(job_id: Id, reason: Reason = None, tenant: Tenant = None, json: Json = False) -> None:
    """Begin a media job anew that has failed or was cancelled."""
    from windrow.app.media import topics_of

    settings = read()
    async with opened(settings) as app, app.database.tenant(tenant or settings.tenant) as tx:
        job = await controlling.retry(tx, job_id, topics=topics_of(settings), actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"job": job_id, "stage": job.stage, "outcome": "queued again"})


@media.command()
@command
async def cancel(job_id: Id, reason: Reason = None, tenant: Tenant = None, json: Json = False) -> None:
    """End a media job: one that waits at once, one that is worked on as soon as its worker has stopped."""
    from windrow.app.media import topics_of

    settings = read()
    async with opened(settings) as app, app.database.tenant(tenant or settings.tenant) as tx:
        job = await controlling.cancel(tx, job_id, topics=topics_of(settings), actor=operator(), reason=reason)
    outcome = "cancelled" if job.stage is Stage.CANCELLED else "its worker is asked to stop"
    (show.document if json else show.pairs)({"job": job_id, "stage": job.stage, "outcome": outcome})


def row(job: MediaJob) -> dict[str, Any]:
    """A line of the list."""
    known, error = job.job.metadata_snapshot, job.job.error or {}
    return {
        "job": job.job.job_id,
        "stage": job.stage,
        "type": job.job.media.type,
        "title": known.title if known else job.job.media.url,
        "request": job.job.request_id,
        "created": job.job.created_at,
        "error": f"{error.get('code')}: {error.get('message')}" if error else None,
    }
