"""The command tree. Commands that do not exist yet are not listed."""

from typing import Annotated

import typer

from windrow.cli import (
    audit,
    blobs,
    connectors,
    cursor,
    demo,
    dlq,
    doctor,
    endpoint,
    items,
    kv,
    listings,
    outbox,
    quarantine,
    runs,
    serve,
    sync,
    topics,
    up,
)

tree = typer.Typer(
    name="windrow",
    help="Gathers metadata from where an organisation keeps things into one Postgres catalog, exactly once.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("windrow"))
        raise typer.Exit


@tree.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


tree.command("up")(up.up)
tree.command("serve")(serve.serve)
tree.command("doctor")(doctor.doctor)
tree.command("demo")(demo.demo)
tree.add_typer(connectors.connectors, name="connectors")
tree.add_typer(endpoint.endpoint, name="endpoint")
tree.command("sync")(sync.sync)
tree.add_typer(items.items, name="items")
tree.add_typer(runs.runs, name="runs")
tree.add_typer(cursor.cursor, name="cursor")
tree.add_typer(outbox.outbox, name="outbox")
tree.add_typer(listings.listings, name="listings")
tree.add_typer(quarantine.quarantine, name="quarantine")
tree.add_typer(kv.kv, name="kv")
tree.add_typer(blobs.blobs, name="blobs")
tree.add_typer(topics.topics, name="topics")
tree.add_typer(dlq.dlq, name="dlq")
tree.command("audit")(audit.audit)
