"""`windrow sync`: one run now, with a live progress display."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from windrow.app.compose import opened
from windrow.app.syncing import synced
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope
from windrow.contracts.errors import ValidationFailure
from windrow.harvest.run import Run
from windrow.harvest.slice import SliceReport
from windrow.settings import read

SETTLED = ("created", "updated", "deleted", "unchanged", "outdated", "discarded")
Watch = Callable[[SliceReport], None]


@command
async def sync(
    name: Annotated[str, typer.Argument(help="The endpoint.")],
    follow: Annotated[bool, typer.Option("--follow/--quiet", help="Show the progress while it runs.")] = True,
    here: Annotated[bool, typer.Option("--here", help="In this process, without Temporal and its workers.")] = False,
    backfill: Annotated[
        bool, typer.Option("--backfill", help="Once more from its beginning, beside the live cursor, which stays.")
    ] = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Harvest an endpoint now: read its source from where it was left, persist it, and verify the counts.

    The workers of `windrow up` (or `windrow worker`) do it, beside the schedule. Ctrl-C stops it between two pages; what was
    published until then stays, and the next run goes on from there.
    """
    settings = read()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stopped.set)
    console = Console(stderr=True, highlight=False)
    async with opened(settings) as app:
        with following(console, name) if follow and not json else _silence() as watch:
            within = scope(settings, tenant, project)
            if backfill and (here or app.temporal_address is None):
                raise ValidationFailure(
                    "a backfill is the workers' work", hint="leave out --here; `windrow up` has workers"
                )
            if here or app.temporal_address is None:
                run = await synced(settings, app.database, within, name, watch=watch, cancelled=stopped.is_set)
            else:
                from windrow.app.following import backfilled, followed  # Temporal's client takes a while to load

                begin = backfilled if backfill else followed
                run = await begin(settings, app.database, within, name, operator(), watch=watch, stopped=stopped)
    (show.document if json else show.pairs)(summary(run))


@contextmanager
def following(console: Console, name: str) -> Iterator[Watch]:
    """A line that moves at a terminal; elsewhere one line every few seconds."""
    began = time.monotonic()
    if not console.is_terminal:
        said = [began]

        def tell(at: SliceReport) -> None:
            if time.monotonic() - said[0] > 5:
                said[0] = time.monotonic()
                console.print(progress(name, at, time.monotonic() - began))

        yield tell
        return
    spinner = Spinner("dots", text=Text(f" {name}: asking the source …"))
    with Live(spinner, console=console, refresh_per_second=10, transient=True):
        yield lambda at: spinner.update(text=progress(name, at, time.monotonic() - began))


@contextmanager
def _silence() -> Iterator[Watch]:
    yield lambda _: None


def progress(name: str, at: SliceReport, seconds: float) -> Text:
    """Pages, items a second, bytes, what was refused, and where the cursor is."""
    totals = at.totals
    if at.trouble:
        return Text(f" {name}: {totals.published:,} items; it is tried again by itself, because {at.trouble}")
    rate = totals.published / seconds if seconds > 0 else 0.0
    return Text(
        f" {name}: {totals.pages} pages{f' of {at.page_size}' if at.page_size else ''} · "
        f"{totals.published:,} items ({rate:,.0f}/s) · {size(totals.bytes)} · {totals.quarantined} quarantined"
        f"{f' · cursor {at.cursor}' if at.cursor else ''}"
    )


def summary(run: Run) -> dict[str, Any]:
    """What a run came to."""
    took = (run.ended_at - run.begun_at).total_seconds() if run.ended_at else None
    settled = {name: (run.settled or {}).get(name) for name in SETTLED}
    return {
        "run": run.run_id,
        "outcome": run.outcome,
        "pages": run.pages,
        "fetched": run.fetched,
        **settled,
        "repeats": run.repeats,
        "quarantined": run.quarantined,
        "bytes": run.bytes,
        "seconds": round(took, 2) if took is not None else None,
    }


def size(amount: float) -> str:
    """Bytes as a person reads them."""
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} GiB"
