"""`windrow media submit --follow`: what befalls a media job, as it happens, to its end."""

import asyncio
import sys
from collections.abc import AsyncIterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from windrow.app.ordering import CUT
from windrow.cli import show
from windrow.cli.following import LOOK, following
from windrow.cli.media_show import line
from windrow.media import reading, rows
from windrow.media.job import MediaJob
from windrow.media.reading import Happened
from windrow.media.stage import Stage
from windrow.postgres import Database

_LATEST = 12
_COLOURS = {Stage.COMPLETED: "green", Stage.FAILED: "red", Stage.CANCELLED: "yellow", Stage.QUEUED: "default"}
_GOOD = frozenset({Stage.COMPLETED, Stage.METADATA_READY})


async def follow(database: Database, tenant_id: str, job_id: str, *, json: bool) -> None:
    """Show one job to its end, which decides the exit code."""
    console = Console(highlight=False)
    with following(console, json=json, line=line, picture=picture) as see:
        async for job, fresh in seen(database, tenant_id, job_id):
            see(job, fresh)
    if job.stage not in _GOOD:
        if job.job.error and not json and not console.is_terminal:
            print(show.cell(reason_of(job)), file=sys.stderr)  # noqa: T201 - what a picture would show
        raise SystemExit(1)


async def seen(database: Database, tenant_id: str, job_id: str) -> AsyncIterator[tuple[MediaJob, list[Happened]]]:
    """The job again and again, with what befell it since the last look; it ends with the job."""
    known = 0
    while True:
        async with database.tenant(tenant_id) as tx:
            job = await rows.get(tx, job_id)
            befell = await reading.timeline(tx, job_id)
        yield job, befell[known:]
        known = len(befell)
        if has_ended(job):
            return
        await asyncio.sleep(LOOK)


def has_ended(job: MediaJob) -> bool:
    """Whether nothing more is going to happen here: what is not cut is for whoever reads the work topic."""
    wished = job.job.clip is not None and job.job.media.type in CUT
    return job.stage.is_final or (job.stage is Stage.METADATA_READY and not wished)


def reason_of(job: MediaJob) -> str:
    """Why it failed, or is going to be tried again."""
    error = job.job.error or {}
    return f"{error.get('tag')} {error.get('code')}: {error.get('message')}"


def picture(job: MediaJob, befell: list[Happened]) -> RenderableType:
    """Where the job stands, what is known of its medium, and the last that befell it."""
    snapshot = job.job.metadata_snapshot
    head = Text(job.stage, style=f"bold {_COLOURS.get(job.stage, 'cyan')}")
    head.append(f"  {show.cell(snapshot.title if snapshot else job.job.media.url)}", style="default")
    parts: list[RenderableType] = [head, *(Text(f"  {line(one)}", style="dim") for one in befell[-_LATEST:])]
    if job.stage is Stage.QUEUED and not job.job.error:
        parts.append(
            Text("  it waits for the metadata worker: `windrow up` and `windrow events` run one", style="yellow")
        )
    if job.job.error:
        parts.append(Text(f"  {show.cell(reason_of(job))}", style="red"))
    if job.stage is Stage.COMPLETED and job.job.runtime_job_id:
        parts.append(Text(f"  windrow jobs download {job.job.runtime_job_id} FILE", style="green"))
    return Group(*parts)
