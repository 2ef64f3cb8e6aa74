"""`windrow demo`: the whole system on this machine, in half a minute."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from windrow.app.checks import Verdict, examine
from windrow.app.everything import Everything, everything
from windrow.app.showing import film, mishaps, repository, workshop
from windrow.cli import show
from windrow.cli.doctor import tell
from windrow.cli.frame import command, operator, scope
from windrow.cli.login import offer
from windrow.cli.sync import following, summary
from windrow.cli.up import addresses, asked_to_stop, until
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.media.job import ClipWish
from windrow.settings import Settings, read
from windrow.telemetry import log
from windrow.telemetry.declare import Level

WORDS = "protocol"


@command
async def demo(
    hold: Annotated[bool, typer.Option("--hold", help="Leave everything running until Ctrl-C.")] = False,
) -> None:
    """Start everything, harvest this repository, cut a clip, let something fail, show where all that is seen, and stop."""
    settings = workshop.allowing(read())
    _log_to(settings.home / "demo" / "log.jsonl", settings)
    console = Console(highlight=False)
    stop = asked_to_stop()
    console.rule("Starting PostgreSQL and Temporal")
    async with everything(settings, process="demo") as running:
        show.pairs(addresses(settings, running))
        console.rule("Is it healthy?")
        checks = []
        async for check in examine(settings):
            checks.append(check)
            tell(console, check)
        if any(check.verdict is Verdict.FAIL for check in checks):
            raise SystemExit(1)
        shown = Shown(settings, running, console)
        await shown.harvest()
        await shown.clip()
        await shown.mishaps()
        if hold:
            await shown.invitation()
            await until(stop, running)
    console.rule("Stopped cleanly")
    if not hold:
        console.print(
            "Next: [bold].venv/bin/windrow up[/] keeps it running and prints a link to the console, where all of this can be "
            "seen; the README shows what to try then."
        )


def _log_to(file: Path, settings: Settings) -> None:
    """What goes wrong here is meant to: its lines are for a file, and what the demo says stays readable."""
    stream = file.open("a", encoding="utf-8", buffering=1)
    log.configure(format=log.Format.JSON, level=settings.log_level or Level.INFO, stream=stream)


class Shown:
    """The acts of the demo."""

    def __init__(self, settings: Settings, running: Everything, console: Console) -> None:
        self._settings, self._running, self._console = settings, running, console
        self._within: Scope = scope(settings, None, None)
        self._home = settings.home.absolute() / "demo"

    async def harvest(self) -> None:
        """This repository, twice."""
        database, console = self._running.database, self._console
        endpoint = await repository.source(database, self._within, Path.cwd(), operator())
        console.rule(f"Harvesting {endpoint.config['path']} with the connector {endpoint.connector}")
        await self._harvested(endpoint.endpoint_id)
        console.rule("What is in the catalog now")
        counts = await repository.counted(database, self._within)
        show.table([asdict(each) for each in counts], ("entity_type", "items", "deleted"), empty="Nothing.")
        console.rule(f"windrow items search {WORDS}")
        found = await repository.looked_for(database, self._within, WORDS)
        hits = [
            {"type": hit.item.entity_type, "name": hit.item.display_name, "id": hit.item.external_id}
            for hit in found.hits
        ]
        show.table(hits, ("type", "name", "id"), empty=f"Nothing is found by {WORDS!r}.")
        console.rule("Once more: nothing has changed, so nothing is written")
        await self._harvested(endpoint.endpoint_id)

    async def clip(self) -> None:
        """A media job to its end, and one that asks for what there is not."""
        from windrow.app.media import topics_of

        database, within, topics = self._running.database, self._within, topics_of(self._settings)
        self._console.rule("A media job: what is known of a film, and a clip of it")
        made = await asyncio.to_thread(film.made, self._settings.home)
        wishes = (ClipWish(start=2, end=6), ClipWish(start=3600, end=3610))
        asked = [await film.submitted(database, within, made, wish, topics) for wish in wishes]
        for job in await asyncio.gather(*(film.ended(database, within, job_id) for job_id in asked)):
            error = job.job.error or {}
            show.pairs({"job": job.job.job_id, "stage": job.stage, "error": error.get("message")})

    async def mishaps(self) -> None:
        """What goes wrong in life, and what becomes of it."""
        database, within = self._running.database, self._within
        self._console.rule("What goes wrong in life, and where that is kept")
        await workshop.source(database, within, operator())
        await self._triggered(workshop.ENDPOINT)
        await mishaps.source(database, within, self._home / "attic", operator())
        await self._triggered(mishaps.ENDPOINT)
        await mishaps.note(database, within, operator())
        letters = await mishaps.undelivered(database, within)
        show.pairs(
            {"dead letters": letters, "next": "windrow quarantine list, windrow dlq list, and the console's overview"}
        )

    async def invitation(self) -> None:
        """The link to the console, as the last line."""
        from windrow.app.console import welcome

        invited = await welcome(self._settings, self._running.database, self._running.http_url, operator())
        self._console.print("\nEverything stays up; Ctrl-C stops it.")
        offer(invited.link)

    async def _harvested(self, endpoint_id: str) -> None:
        with following(self._console, endpoint_id) as watch:
            run = await repository.harvested(self._settings, self._running.database, self._within, watch)
        show.pairs(summary(run))

    async def _triggered(self, endpoint_id: str) -> None:
        """By the workers, as a schedule would; a failure is what some of these are for."""
        from windrow.app.following import followed  # Temporal's client takes a while to load

        database, never = self._running.database, asyncio.Event()
        try:
            with following(self._console, endpoint_id) as watch:
                run = await followed(
                    self._settings, database, self._within, endpoint_id, operator(), watch=watch, stopped=never
                )
            show.pairs(summary(run))
        except WindrowError as error:
            show.pairs({"endpoint": endpoint_id, "failed": error.message, "next": error.hint})
