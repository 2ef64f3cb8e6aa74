"""`windrow apply`: endpoints that are kept in a file, and with it in git."""

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from windrow.app.applying import Action, Changed, Plan, Step, carry_out, planned
from windrow.app.compose import acting_for
from windrow.app.manifest import ManifestRefused, read_manifest
from windrow.cli import show
from windrow.cli.file import content, told
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope
from windrow.contracts.errors import ValidationFailure
from windrow.settings import read

SIGNS = {
    Action.ADD: ("+", "green"),
    Action.REVIVE: ("+", "green"),
    Action.EDIT: ("~", "yellow"),
    Action.REMOVE: ("-", "red"),
}
_LONGEST = 120


@command
async def apply(
    file: Annotated[
        str, typer.Option("--file", "-f", metavar="FILE", help="Where the endpoints are declared; - reads them here.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Also remove endpoints that the file does not name.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
    reason: Annotated[
        str | None, typer.Option(help="Why, for the audit trail; the file's name when not given.")
    ] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Make the project's endpoints what a file says they are: all of it, or nothing.

    The whole file is checked before anything is touched. What is the same already is left alone.
    """
    within = scope(read(), tenant, project)
    try:
        manifest = read_manifest(file, content(file), within)
        async with acting_for(within.tenant_id) as tx:
            plan = await planned(tx, manifest, within, prune=prune)
    except ManifestRefused as refused:
        raise refused if json else told(refused) from None
    if not json:
        tell(plan)
    if plan.steps and not dry_run:
        confirm(plan, yes=yes, asks=not json)
        async with acting_for(within.tenant_id) as tx:
            await carry_out(tx, plan, actor=operator(), reason=reason)
    if json:
        show.document(document(plan, dry_run=dry_run))
    else:
        typer.echo(ended(plan, dry_run=dry_run), err=True)


def confirm(plan: Plan, *, yes: bool, asks: bool) -> None:
    """Nothing is removed without a word of the operator's."""
    gone = plan.of(Action.REMOVE)
    if not gone or yes:
        return
    names = ", ".join(step.name for step in gone)
    if not asks or not sys.stdin.isatty():
        raise ValidationFailure(
            f"{names} would be removed; nothing was changed", hint="say --yes if that is meant, or leave --prune out"
        )
    if not typer.confirm(f"Remove {names}? What was harvested from them stays in the catalog", err=True):
        raise ValidationFailure("nothing was changed", hint="leave --prune out to keep what the file does not name")


def tell(plan: Plan) -> None:
    """A line for each endpoint that changes, and below it the fields."""
    console = Console(highlight=False, soft_wrap=True)
    for step in plan.steps:
        sign, colour = SIGNS[step.action]
        again = " (was removed before)" if step.action is Action.REVIVE else ""
        console.print(Text(f"{sign} {step.name}{again}", style=colour))
        for changed in step.fields:
            console.print(Text(f"    {line(step, changed)}"))


def line(step: Step, changed: Changed) -> str:
    after = short(changed.after)
    said = f"{short(changed.before)} → {after}" if step.action is Action.EDIT else after
    return f"{changed.field}: {said}"


def short(value: Any) -> str:
    text = show.cell(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def ended(plan: Plan, *, dry_run: bool) -> str:
    counts = {
        "added": len(plan.of(Action.ADD, Action.REVIVE)),
        "changed": len(plan.of(Action.EDIT)),
        "removed": len(plan.of(Action.REMOVE)),
        "unchanged": len(plan.unchanged),
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    return f"{said}; this was a dry run, nothing was written" if dry_run else said


def document(plan: Plan, *, dry_run: bool) -> dict[str, Any]:
    steps = [{"action": step.action, "endpoint": step.name, "fields": step.fields} for step in plan.steps]
    return {"dry_run": dry_run, "changes": steps, "unchanged": plan.unchanged}
