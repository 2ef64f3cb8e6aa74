"""`windrow demo`: the whole system on this machine, in half a minute."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from windrow.app import showing
from windrow.app.checks import Verdict, examine
from windrow.app.everything import everything
from windrow.cli import show
from windrow.cli.doctor import tell
from windrow.cli.frame import command, operator, scope
from windrow.cli.sync import following, summary
from windrow.cli.up import addresses, asked_to_stop, until
from windrow.settings import read

WORDS = "protocol"


@command
async def demo(
    hold: Annotated[bool, typer.Option("--hold", help="Leave everything running until Ctrl-C.")] = False,
) -> None:
    """Start everything, harvest this repository, show what was found and that a second run changes nothing, and stop."""
    settings = read()
    within = scope(settings, None, None)
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

        endpoint = await showing.source(running.database, within, Path.cwd(), operator())
        console.rule(f"Harvesting {endpoint.config['path']} with the connector {endpoint.connector}")
        with following(console, endpoint.endpoint_id) as watch:
            show.pairs(summary(await showing.harvested(settings, running.database, within, watch)))
        console.rule("What is in the catalog now")
        counts = await showing.counted(running.database, within)
        show.table([asdict(each) for each in counts], ("entity_type", "items", "deleted"), empty="Nothing.")
        console.rule(f"windrow items search {WORDS}")
        found = await showing.looked_for(running.database, within, WORDS)
        hits = [
            {"type": hit.item.entity_type, "name": hit.item.display_name, "id": hit.item.external_id}
            for hit in found.hits
        ]
        show.table(hits, ("type", "name", "id"), empty=f"Nothing is found by {WORDS!r}.")
        console.rule("Once more: nothing has changed, so nothing is written")
        with following(console, endpoint.endpoint_id) as watch:
            show.pairs(summary(await showing.harvested(settings, running.database, within, watch)))
        if hold:
            console.print("\nEverything stays up; Ctrl-C stops it.")
            await until(stop, running)
    console.rule("Stopped cleanly")
    console.print("Next: [bold].venv/bin/windrow up[/] keeps it running; the README shows what to try then.")
