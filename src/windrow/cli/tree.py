"""The command tree. Commands that do not exist yet are not listed.

Each command is a module of its own name here, with a function or a group of that name. To load all of them takes longer than
most commands do: `planted` loads the one that is asked for, `tree` is all of them.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from shutil import get_terminal_size
from typing import Annotated

import typer

# in the order in which `windrow --help` lists them
COMMANDS = (
    "up",
    "worker",
    "serve",
    "events",
    "login",
    "doctor",
    "demo",
    "connectors",
    "endpoint",
    "apply",
    "preview",
    "sync",
    "items",
    "export",
    "runs",
    "schedule",
    "cursor",
    "outbox",
    "listings",
    "quarantine",
    "jobs",
    "media",
    "speakers",
    "kv",
    "blobs",
    "topics",
    "dlq",
    "notify",
    "audit",
    "namespaces",
    "specs",
)

_ROOMY = 80


def planted(arguments: Sequence[str]) -> typer.Typer:
    """A tree with the command that these arguments name; with every one where they name none, but for its version alone."""
    match arguments:
        case [name, *_] if name in COMMANDS:
            return _tree([name])
        case ["--version"]:
            return _tree(())
    return _tree(COMMANDS)


def _tree(names: Iterable[str]) -> typer.Typer:
    root = typer.Typer(
        name="windrow",
        help="Gathers metadata from where an organisation keeps things into one Postgres catalog, exactly once.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        # in a narrow terminal, boxes with columns would cut the names of options and settings short
        rich_markup_mode="markdown" if get_terminal_size().columns >= _ROOMY else None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    root.callback()(_root)
    for name in names:
        found = getattr(import_module(f"windrow.cli.{name}"), name)
        if isinstance(found, typer.Typer):
            root.add_typer(found, name=name)
        else:
            root.command(name)(found)
    return root


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("windrow"))
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def __getattr__(name: str) -> typer.Typer:
    """`tree`, made when it is first asked for."""
    if name != "tree":
        raise AttributeError(name)
    globals()["tree"] = made = _tree(COMMANDS)
    return made
