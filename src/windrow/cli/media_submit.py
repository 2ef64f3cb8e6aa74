"""`windrow media submit`: a medium into the pipeline."""

import uuid
from typing import Annotated

import typer

from windrow.app.ordering import CUT
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, scope
from windrow.cli.jobs_submit import located
from windrow.contracts.errors import Code, ValidationFailure
from windrow.media.job import ClipWish
from windrow.settings import read

# of what is cut and nobody has said where
PREVIEW = 10.0


@command
async def submit(
    source: Annotated[
        str,
        typer.Argument(
            metavar="URL|PATH", help="A video of YouTube, a video file, `object:KEY`, or any URL of a video."
        ),
    ],
    start: Annotated[
        str | None, typer.Option(help="Where the clip begins, `83.5` or `1:23.5`.", metavar="TIME")
    ] = None,
    end: Annotated[
        str | None, typer.Option(help="Where it ends; ten seconds later when not said.", metavar="TIME")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Whose request it is, as the speaker registry knows it; a new one when not said.")
    ] = None,
    media_type: Annotated[
        str | None, typer.Option("--type", help="`youtube`, `file` or `web`; told by the URL when not said.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "--wait", help="Stay and show what befalls it, to its end.")
    ] = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Submit a media job: `windrow media submit talk.mp4 --start 1:02 --end 1:08 --follow`.

    Its metadata are fetched as soon as its event arrives (`windrow up` sees to both), then a clip is cut. Of a file without
    --start and --end that is a preview: its first ten seconds, or all of it if it is shorter. Of a video of YouTube only the
    metadata are known here, so none is cut.
    """
    from windrow.app.compose import opened
    from windrow.app.media import topics_of
    from windrow.cli.media_follow import follow as following
    from windrow.media.submission import Submission, media_of
    from windrow.media.submitting import submit as submitted

    settings = read()
    media = media_of(located(source), media_type)
    wished = Submission(
        media=media,
        request_id=request_id or uuid.uuid4().hex,
        clip=wish(start, end, is_cut=media.type in CUT),
    )
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        async with app.database.tenant(within.tenant_id) as tx:
            job = (await submitted(tx, within, wished, topics=topics_of(settings))).job
        if follow:
            await following(app.database, within.tenant_id, job.job_id, json=json)
            return
    told = {"job": job.job_id, "request": job.request_id, "stage": job.status}
    if json:
        show.document(told)
    else:
        show.pairs(told | {"next": f"windrow media show {job.job_id}"})


def wish(start: str | None, end: str | None, *, is_cut: bool) -> ClipWish | None:
    """The stretch to be cut; what is left out is the beginning, and ten seconds."""
    from windrow.clips.asked import seconds

    if start is None and end is None and not is_cut:
        return None
    try:
        begin = float(seconds(start or "0"))
        return ClipWish(start=begin, end=float(seconds(end)) if end is not None else begin + PREVIEW)
    except ValueError as error:
        raise ValidationFailure(str(error), code=Code.INVALID, hint="see `windrow media submit --help`") from None
