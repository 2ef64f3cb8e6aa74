"""`windrow jobs submit`: ask for something to be done."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, scope
from windrow.cli.jobs_watch import follow
from windrow.cli.kv import parse
from windrow.contracts.errors import Code, ValidationFailure
from windrow.settings import read

_SCHEMES = ("object:", "file:", "http://", "https://")


@command
async def submit(
    kind: Annotated[str, typer.Argument(help="What is to be done: `clip`.")],
    source: Annotated[
        str | None,
        typer.Option(help="clip: a video file, `file:/PATH`, `object:KEY`, or a URL.", metavar="SOURCE"),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="clip: where it begins, `83.5` or `1:23.5`.", metavar="TIME")
    ] = None,
    end: Annotated[str | None, typer.Option(help="clip: where it ends.", metavar="TIME")] = None,
    payload: Annotated[
        str | None, typer.Option(help="What is asked for, as JSON; `-` reads it from standard input.")
    ] = None,
    priority: Annotated[int, typer.Option(help="Higher is sooner, -100 to 100.")] = 0,
    at: Annotated[
        datetime | None, typer.Option(help="Not before this time of your clock, such as 2026-01-31T12:00:00.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Do not add it if an unfinished job of this kind has the same key.")
    ] = None,
    attempts: Annotated[int | None, typer.Option(help="How often it is tried (WINDROW_MAX_ATTEMPTS).")] = None,
    wait: Annotated[bool, typer.Option("--watch", help="Stay and show how it goes, to its end.")] = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Submit a job: `windrow jobs submit clip --source film.mp4 --start 1:02.5 --end 1:08`.

    A worker does it: `windrow up` runs one, `windrow jobs work` another.
    """
    from windrow.app.compose import opened
    from windrow.app.jobs import payload_of
    from windrow.jobs.enqueue import Terms, enqueue

    settings = read()
    given = _given(payload) | {
        name: value
        for name, value in {"source": located(source) if source else None, "start": start, "end": end}.items()
        if value is not None
    }
    wish = payload_of(kind, given)
    within = scope(settings, tenant, project)
    terms = Terms(
        priority=priority, run_at=at.astimezone() if at else None, max_attempts=attempts or settings.max_attempts
    )
    async with opened(settings) as app:
        async with app.database.tenant(within.tenant_id) as tx:
            enqueued = await enqueue(tx, within, kind, wish, terms=terms, dedupe_key=key)
        if wait:
            await follow(app.database, within.tenant_id, enqueued.job_id, json=json)
            return
    told = {"job": enqueued.job_id, "outcome": "submitted" if enqueued.fresh else "it was there already"}
    if json:
        show.document(told)
    else:
        show.pairs(told | {"next": f"windrow jobs watch {enqueued.job_id}"})


def _given(payload: str | None) -> dict[str, Any]:
    value = parse(payload) if payload is not None else {}
    if not isinstance(value, dict):
        raise ValidationFailure(
            "the payload is not a JSON object", code=Code.INVALID_VALUE, hint="""write it as '{"name": "value"}'"""
        )
    return value


def located(source: str) -> str:
    """A source as a worker finds it: a path is the shell's, so it is made absolute here."""
    if source.startswith(_SCHEMES):
        return source
    path = Path(source).expanduser().absolute()
    if not path.is_file():
        raise ValidationFailure(
            f"there is no file {source[:200]!r} here",
            code=Code.NOT_FOUND,
            hint="check the path; an object is named `object:KEY`, a file of the worker's machine `file:/PATH`",
        )
    return f"file:{path}"
