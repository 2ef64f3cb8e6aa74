"""`windrow specs`: is what is declared whole, and is it what the code does?"""

from pathlib import Path
from typing import Annotated

import typer

from windrow import specs as declared
from windrow.app.declarations import directory, registered
from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.settings import read

specs = typer.Typer(help="Specs: directives, queues, namespaces and retry policies, as data.", no_args_is_help=True)


@specs.command("check")
@command
async def check(
    path: Annotated[
        Path | None,
        typer.Option("--path", metavar="DIR", help="The directory of spec files (WINDROW_SPECS; Windrow's own)."),
    ] = None,
    json: Json = False,
) -> None:
    """Do the spec files hold together, and agree with the code? Lists everything that is wrong, by file and line.

    Ends with 1 when something is wrong.
    """
    reading = declared.read(path or directory(read()))
    found = declared.check(reading, registered())
    if json:
        show.document({"declared": reading.specs.counts(), "findings": found})
    elif found:
        for finding in found:
            typer.echo(show.cell(str(finding)))
    else:
        show.pairs({**reading.specs.counts(), "verdict": "in order"})
    if found:
        raise SystemExit(1)


@specs.command("copy")
@command
async def copy(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="A directory that does not exist yet.")],
    json: Json = False,
) -> None:
    """Copy Windrow's own spec files, to be changed and named in WINDROW_SPECS."""
    written = declared.copy(target)
    if json:
        show.document({"files": written})
    else:
        for file in written:
            typer.echo(str(file))
