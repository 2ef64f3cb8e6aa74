"""`windrow doctor`: is everything in order?"""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from windrow.app.checks import Check, Verdict, examine
from windrow.cli import show
from windrow.cli.frame import Json, command, operator
from windrow.settings import read

MARKS = {
    Verdict.OK: "[green]ok  [/]",
    Verdict.WARN: "[yellow]warn[/]",
    Verdict.FAIL: "[bold red]FAIL[/]",
    Verdict.SKIPPED: "[dim]skip[/]",
}


@command
async def doctor(
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Mend what can be mended: missing migrations, namespaces, schedules."),
    ] = False,
    adopt_store: Annotated[
        bool,
        typer.Option(
            "--adopt-store",
            help="Make the object store of the settings the database's, when the one before is lost or was replaced. "
            "Objects that rows name and that are not in it stay missing.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Is everything in order: settings, disk, engines, schema, objects, the way through Temporal to Postgres, who works there?

    Ends with 1 when a check failed.
    """
    console = Console(highlight=False, soft_wrap=True)
    checks: list[Check] = []
    async for check in examine(read(), repair=repair, adopter=operator() if adopt_store else None):
        checks.append(check)
        if not json:
            tell(console, check)
    if json:
        show.document(checks)
    if any(check.verdict is Verdict.FAIL for check in checks):
        raise SystemExit(1)


def tell(console: Console, check: Check) -> None:
    """One line, and where it is not well, the next step."""
    console.print(f"{MARKS[check.verdict]} [bold]{check.name:<11}[/]", Text(show.cell(check.detail)))
    if check.hint:
        console.print(f"{'':<17}next: {check.hint}", markup=False)
