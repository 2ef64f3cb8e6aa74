"""`windrow demo`: the whole system on this machine, in half a minute."""

from typing import Annotated

import typer
from rich.console import Console

from windrow import kv
from windrow.app.checks import Verdict, examine
from windrow.app.everything import everything
from windrow.cli import show
from windrow.cli.doctor import tell
from windrow.cli.frame import command, scope
from windrow.cli.up import addresses, asked_to_stop, until
from windrow.settings import read


@command
async def demo(
    hold: Annotated[bool, typer.Option("--hold", help="Leave everything running until Ctrl-C.")] = False,
) -> None:
    """Start everything, show that it is healthy, write a checkpoint through Temporal and Postgres, and stop."""
    from windrow.orchestration.probing import (
        probe_key,
    )  # loads Temporal's client, which no other command should wait for

    settings = read()
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
        console.rule("The checkpoint, as the semantic store keeps it")
        envelope = await kv.get(running.database, probe_key(scope(settings, None, None)))
        show.pairs(envelope.document() if envelope else {})
        if any(check.verdict is Verdict.FAIL for check in checks):
            raise SystemExit(1)
        if hold:
            console.print("\nEverything stays up; Ctrl-C stops it.")
            await until(stop, running)
    console.rule("Stopped cleanly")
    console.print("Next: [bold].venv/bin/windrow up[/] keeps it running; the README shows what to try then.")
