"""`windrow connectors`: what can be harvested, and what each kind of source needs."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from windrow.app.examination import candidate
from windrow.cli import show
from windrow.cli.definition import described_in, is_file
from windrow.cli.frame import Json, Project, Tenant, command, scope
from windrow.connectors import describe, registry
from windrow.connectors.configuration import parse_pairs
from windrow.connectors.conformance import Limits, Result, Verdict, examine
from windrow.connectors.registry import AnyConnector, Offered
from windrow.settings import read

connectors = typer.Typer(help="Connectors: what can be harvested, and what each needs.")

MARKS = {Verdict.PASSED: "[green]✓[/]", Verdict.FAILED: "[bold red]✗[/]", Verdict.SKIPPED: "[dim]·[/]"}

Name = Annotated[str, typer.Argument(help="The connector's name.")]


@connectors.callback(invoke_without_command=True)
def _listed_unless_told_otherwise(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        listed()


@connectors.command("list")
@command
async def listed(json: Json = False) -> None:
    """Every connector with what it can do; one that cannot be used, with the reason. `windrow connectors` does the same."""
    rows = [row(each) for each in registry.offered()]
    if json:
        show.document(rows)
        return
    for each in rows:
        each.setdefault("title", f"broken: {each['broken']}")
    show.table(rows, ("name", "version", "title", "can", "credential"), empty="No connector is installed.")


@connectors.command("show")
@command
async def shown(name: Name, json: Json = False) -> None:
    """What a connector needs and can do: its fields, its credential, its page sizes."""
    connector = registry.find(name)
    about, fields = described(connector), [asdict(field) for field in describe.fields(connector)]
    if json:
        show.document({**about, "fields": fields})
        return
    show.pairs(about)
    console = Console(highlight=False, soft_wrap=True)
    console.print()
    rows = [{**field, "default": "required" if field["required"] else field["default"]} for field in fields]
    show.table(
        [{"field": field["name"], **field} for field in rows],
        ("field", "kind", "default", "help"),
        empty="It needs no configuration.",
    )
    console.print(f"\n{example(connector)}", markup=False)


@connectors.command()
@command
async def check(
    name: Annotated[str, typer.Argument(help="The connector's name; or a file that describes a REST API, NAME.yaml.")],
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE]…", help="A configuration for a source that stands still meanwhile."),
    ] = None,
    credential_ref: Annotated[
        str | None, typer.Option(metavar="REF", help="Where the credential is kept, such as `env:WINDROW_SECRET_X`.")
    ] = None,
    pages: Annotated[int, typer.Option(min=2, help="The most pages that one pass may have.")] = Limits().pages,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Does a connector keep what every connector has to? Reads the source several times, and writes nothing.

    Ends with 1 when a check failed.
    """
    settings = read()
    connector, config = described_in(name, pairs or (), json) if is_file(name) else named(name, pairs or ())
    results: list[Result] = []
    async with candidate(
        settings,
        os.environ,
        scope(settings, tenant, project),
        connector,
        config,
        credential_ref=credential_ref,
        limits=Limits(pages=pages),
    ) as subject:
        async for result in examine(subject):
            results.append(result)
            if not json:
                tell(result)
    if json:
        show.document(results)
    if any(result.verdict is Verdict.FAILED for result in results):
        raise SystemExit(1)


def named(name: str, pairs: Sequence[str]) -> tuple[AnyConnector, dict[str, Any]]:
    """A connector by its name, with its configuration."""
    connector = registry.find(name)
    return connector, parse_pairs(connector, pairs)


def row(offer: Offered) -> dict[str, Any]:
    """A connector in the list."""
    source = {"broken": offer.broken, "from": offer.distributions}
    if offer.connector is None:
        return {"name": offer.name, **source}
    about = described(offer.connector)
    return {**about, "credential": offer.connector.spec.credential, **source}


def described(connector: AnyConnector) -> dict[str, Any]:
    """What its spec says."""
    spec = connector.spec
    return {
        "name": spec.name,
        "version": spec.version,
        "title": spec.title,
        "source_system": spec.source_system,
        "can": ", ".join(describe.abilities(spec)),
        "credential": describe.credential(spec),
        "page_sizes": describe.pages(spec),
        "calls_at_once": spec.max_concurrency,
        "queue": spec.queue,
    }


def example(connector: AnyConnector) -> str:
    """How an endpoint of it is added."""
    needed = " ".join(f"{field.name}=…" for field in describe.fields(connector) if field.required)
    return f"windrow endpoint add NAME {connector.spec.name} {needed}".rstrip()


def tell(result: Result) -> None:
    """One line, and where it failed, the next step."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{MARKS[result.verdict]} [bold]{result.name:<13}[/]", Text(show.cell(result.detail)))
    if result.hint:
        console.print(f"{'':<16}next: {show.cell(result.hint)}", markup=False)
