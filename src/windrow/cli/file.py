"""A file that a command is given: what is in it, and what is wrong with it, a line for each fault."""

from pathlib import Path

from rich.console import Console

from windrow.cli import show
from windrow.cli.frame import standard_input
from windrow.contracts.errors import ValidationFailure, classify
from windrow.specs.document import LARGEST
from windrow.specs.finding import FileRefused


def content(file: str) -> bytes:
    """The file's bytes; no more of them than a file may have, and one that tells."""
    if file == "-":
        return standard_input(LARGEST + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(LARGEST + 1)
    except OSError as error:
        raise classify(error) from None


def told(refused: FileRefused) -> ValidationFailure:
    """Print a line for each fault; the error that is left to be told."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for finding in refused.findings:
        console.print(show.cell(str(finding)), markup=False)
    count = len(refused.findings)
    return ValidationFailure("one fault" if count == 1 else f"{count} faults", hint=refused.hint)
