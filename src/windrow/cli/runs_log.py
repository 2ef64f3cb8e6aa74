"""`windrow runs log`: what was said about a run, line by line."""

import asyncio
import json as encoding
from collections.abc import AsyncIterator
from typing import Annotated

import typer

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.following import LOOK
from windrow.cli.frame import Json, Tenant, command
from windrow.harvest import lines as store
from windrow.harvest import run as runs
from windrow.harvest.lines import Line
from windrow.postgres import Database
from windrow.settings import read
from windrow.telemetry.declare import Level

_AT_ONCE = 500
# the last lines of a run are written down a moment after its end
_LAST = 2.0
_NOTHING = "Nothing is kept: it said nothing yet, or WINDROW_RUN_LOG_DAYS are over."


@command
async def log(
    run_id: Annotated[str, typer.Argument(metavar="ID", help="The run, or the beginning of its id.")],
    level: Annotated[Level, typer.Option(help="Only lines of this level and above.")] = Level.INFO,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run has ended.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """What was said while a run was at work, the latest last. With --follow and --json, each line is a document."""
    settings = read()
    number = 0
    async with opened(settings) as app:
        said = _said(app.database, tenant or settings.tenant, run_id, level, follow=follow)
        if json and not follow:
            show.document([line async for line in said])
            return
        async for line in said:
            left_out = line.number - number - 1 if level in (Level.DEBUG, Level.INFO) else 0
            if left_out and not json:
                print(f"… {left_out:,} left out", flush=True)  # noqa: T201 - what was asked for
            print(encoding.dumps(show.plain(line)) if json else words(line), flush=True)  # noqa: T201
            number = line.number
    if not number and not json:
        print(_NOTHING)  # noqa: T201


def words(line: Line) -> str:
    """A line for a person; no control character gets through, but for the lines of a traceback."""
    fields = [f"{name}={show.cell(value)}" for name, value in line.fields.items() if name != "error"]
    trace = [f"\n    {show.cell(row)}" for row in str(line.fields.get("error", "")).splitlines()]
    moment = line.at.astimezone().strftime("%H:%M:%S.%f")[:-3]
    return " ".join([moment, f"{line.level:<5}", line.event, *fields]) + "".join(trace)


async def _said(database: Database, tenant_id: str, run_id: str, level: Level, *, follow: bool) -> AsyncIterator[Line]:
    """The lines that are there; following, also those that come until the run has ended."""
    number, ended = 0, False
    while True:
        async with database.tenant(tenant_id) as tx:
            run = await runs.find_run(tx, run_id)
            fresh = await store.lines(tx, run.run_id, after=number, level=level, limit=_AT_ONCE)
        for line in fresh:
            yield line
            number = line.number
        if len(fresh) == _AT_ONCE:
            continue
        if ended or not follow:
            return
        ended = run.ended_at is not None
        await asyncio.sleep(_LAST if ended else LOOK)
