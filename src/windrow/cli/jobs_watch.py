"""`windrow jobs watch`: what happens, as it happens."""

import asyncio
import json as encoding
import sys
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.following import LOOK, following
from windrow.cli.frame import Json, Tenant, command
from windrow.jobs import reading
from windrow.jobs.job import Count, Job, JobEvent, Status
from windrow.postgres import Database
from windrow.settings import read

_LATEST = 8
_LONGEST = 24
_COLOURS = {Status.DONE: "green", Status.FAILED: "red", Status.CANCELLED: "yellow", Status.PROCESSING: "cyan"}


@command
async def watch(
    job_id: Annotated[str | None, typer.Argument(metavar="[JOB]", help="One job, to its end.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Watch a job until it ends, or all of them until Ctrl-C.

    With a job, the exit code says how it ended: 0 done, 1 failed or cancelled. With --json, each event is a line.
    """
    settings = read()
    async with opened(settings) as app:
        within = tenant or settings.tenant
        if job_id is not None:
            await follow(app.database, within, job_id, json=json)
        else:
            await overlook(app.database, within, json=json)


async def follow(database: Database, tenant_id: str, job_id: str, *, json: bool) -> None:
    """Show one job to its end, which decides the exit code."""
    console = Console(highlight=False)
    with following(console, json=json, line=line, picture=picture) as see:
        async for job, fresh in seen(database, tenant_id, job_id):
            see(job, fresh)
    if job.status is not Status.DONE:
        if job.error and not json and not console.is_terminal:
            print(f"{job.failure_code}: {show.cell(job.error)}", file=sys.stderr)  # noqa: T201 - what a picture would show
        raise SystemExit(1)


async def seen(database: Database, tenant_id: str, job_id: str) -> AsyncIterator[tuple[Job, list[JobEvent]]]:
    """The job again and again, with what befell it since the last look; it ends with the job."""
    last = 0
    while True:
        async with database.tenant(tenant_id) as tx:
            job = await reading.find(tx, job_id)
            fresh = await reading.events(tx, job_id, after=last)
        if job is None:
            raise reading.not_found(job_id)
        last = fresh[-1].id if fresh else last
        yield job, fresh
        if job.status.is_final:
            return
        await asyncio.sleep(LOOK)


async def overlook(database: Database, tenant_id: str, *, json: bool) -> None:
    """How many jobs of the tenant stand where, and those in hand, until interrupted; in a pipe, whenever that changes."""
    console = Console(highlight=False)
    before: list[Count] | None = None
    with Live(Text("…"), console=console) if console.is_terminal and not json else nullcontext() as live:
        while True:
            async with database.tenant(tenant_id) as tx:
                counts = await reading.counts(tx)
                running = await reading.listed(tx, status=Status.PROCESSING, limit=_LATEST)
            if live:
                live.update(overview(counts, running))
            elif counts != before:
                print(encoding.dumps(show.plain([asdict(count) for count in counts])), flush=True)  # noqa: T201
            before = counts
            await asyncio.sleep(LOOK)


def line(event: JobEvent) -> str:
    """An event as a line of text."""
    said = f"attempt {event.attempt} {details(event)}"
    return f"{event.at.astimezone():%H:%M:%S} {event.event:<16} {said}".rstrip()


def details(event: JobEvent) -> str:
    """What an event says beside its name; of what is long, the beginning."""
    return " ".join(f"{name}={_short(show.cell(value))}" for name, value in (event.details or {}).items())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def picture(job: Job, befell: list[JobEvent]) -> RenderableType:
    """A job with its bar, and the last that befell it."""
    head = Table.grid(padding=(0, 2))
    state = Text(job.status, style=f"bold {_COLOURS.get(job.status, 'default')}")
    done = 100.0 if job.status is Status.DONE else job.progress or 0.0
    tries = Text(f"attempt {job.attempt_count} of {job.max_attempts}")
    head.add_row(Text(job.kind, style="bold"), state, ProgressBar(100, done, width=30), Text(f"{done:.0f} %"), tries)
    parts: list[RenderableType] = [head, *(Text(f"  {line(event)}", style="dim") for event in befell[-_LATEST:])]
    if job.status is Status.QUEUED:
        parts.append(Text("  it waits for a worker: `windrow up` and `windrow jobs work` run one", style="yellow"))
    if job.error and job.status is not Status.DONE:
        parts.append(Text(f"  {job.failure_code or job.error_code}: {show.cell(job.error)}", style="red"))
    if job.artifact and job.status is Status.DONE:
        parts.append(Text(f"  windrow jobs download {job.job_id} FILE", style="green"))
    return Group(*parts)


def overview(counts: list[Count], running: list[Job]) -> RenderableType:
    """How many stand where, and those in hand with their bars."""
    if not counts:
        return Text("No jobs yet: `windrow jobs submit` makes one. Ctrl-C ends this.")
    sums = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("kind", *Status):
        sums.add_column(heading)
    for kind in dict.fromkeys(count.kind for count in counts):
        of = {count.status: count.jobs for count in counts if count.kind == kind}
        sums.add_row(Text(kind), *(str(of.get(status, "")) for status in Status))
    hand = Table.grid(padding=(0, 2))
    for job in running:
        done = job.progress or 0.0
        hand.add_row(Text(job.job_id), Text(job.kind), ProgressBar(100, done, width=30), Text(f"{done:.0f} %"))
    return Group(sums, Text(""), hand)
