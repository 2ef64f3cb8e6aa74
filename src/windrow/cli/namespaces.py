"""`windrow namespaces`: are Temporal's namespaces there, as declared?"""

from typing import TYPE_CHECKING, Annotated

import typer

from windrow.app.declarations import namespaces as declared
from windrow.app.declarations import reach
from windrow.cli import show
from windrow.cli.frame import Json, command
from windrow.settings import read

if TYPE_CHECKING:
    from windrow.orchestration.namespaces import Applied

namespaces = typer.Typer(
    help="Temporal's namespaces: one for each family of workloads in this environment.", no_args_is_help=True
)

Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="A tenant's own namespaces, instead of the shared ones.")
]
Families = Annotated[
    list[str] | None, typer.Option("--family", metavar="NAME", help="Only this family; may be repeated.")
]


@namespaces.command("check")
@command
async def check(tenant: Tenant = None, family: Families = None, json: Json = False) -> None:
    """Is each namespace there, with the declared description, retention, owner, contact and encryption alias?

    Ends with 1 when one is missing or has drifted.
    """
    from windrow.orchestration.namespaces import check as compare

    settings = read()
    wanted = declared(settings, tenant=tenant, families=family or ())
    drifted = await compare(await reach(settings), wanted)
    if json:
        show.document({"namespaces": [each.name for each in wanted], "drift": drifted})
    elif drifted:
        for drift in drifted:
            typer.echo(show.cell(str(drift)))
    else:
        for each in wanted:
            typer.echo(f"{each.name}: as declared")
    if drifted:
        raise SystemExit(1)


@namespaces.command("apply")
@command
async def apply(
    tenant: Tenant = None,
    family: Families = None,
    shorten: Annotated[
        bool,
        typer.Option("--shorten", help="Also shorten a retention that is longer: the server then deletes histories."),
    ] = False,
    json: Json = False,
) -> None:
    """Create the namespaces that are missing, and mend those that have drifted; says what it did.

    Ends with 1 when some drift is left.
    """
    from windrow.orchestration.namespaces import apply as put_in_order

    settings = read()
    wanted = declared(settings, tenant=tenant, families=family or ())
    done = await put_in_order(await reach(settings), wanted, shorten=shorten)
    if json:
        show.document(done)
    else:
        for each in done:
            tell(each)
    if any(each.left for each in done):
        raise SystemExit(1)


def tell(applied: "Applied") -> None:
    """What was done about one namespace, and what is left to do."""
    typer.echo(f"{applied.namespace}: {applied.outcome}")
    for drift in applied.mended:
        typer.echo(f"  {drift.field}: {show.cell(drift.found or 'nothing')} is now {show.cell(drift.declared)}")
    for drift in applied.left:
        more = "; --shorten makes it so" if drift.field == "retention" else ""
        typer.echo(
            f"  {drift.field} is left at {show.cell(drift.found or 'nothing')}: {show.cell(drift.declared)} is declared{more}"
        )
