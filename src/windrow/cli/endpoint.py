"""`windrow endpoint`: the sources that are harvested."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from windrow import endpoints
from windrow.app.compose import acting_for
from windrow.app.trial import Trial, attempt
from windrow.cli import show
from windrow.cli.frame import Json, Project, Reason, Tenant, command, operator, scope
from windrow.connectors import registry
from windrow.connectors.configuration import parse_pairs
from windrow.connectors.demands import must_suit
from windrow.connectors.registry import AnyConnector
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.settings import read
from windrow.telemetry.redaction import PROCESS

endpoint = typer.Typer(help="Endpoints: the sources that are harvested.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The endpoint's name.")]
Pairs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FIELD=VALUE]…",
        help="The connector's configuration, as `windrow connectors show CONNECTOR` lists it; FIELD:=JSON for what is no text.",
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(metavar="REF", help="Where its credential is kept, such as `env:WINDROW_SECRET_X`; never the secret."),
]
When = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN", help="A cron line of five fields, @hourly and the like, or an interval such as 15m; UTC."
    ),
]
Size = Annotated[int | None, typer.Option(help="Records a page: 50 to 500; the connector's own choice when not given.")]
Expect = Annotated[int | None, typer.Option(help="Only if it is still at this version.")]


@endpoint.command()
@command
async def add(
    name: Name,
    connector: Annotated[str, typer.Argument(help="What reads it: one of `windrow connectors`.")],
    pairs: Pairs = None,
    credential_ref: Reference = None,
    schedule: When = None,
    page_size: Size = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Add a source to be harvested, for example `windrow endpoint add handbook git path=/srv/handbook`."""
    within = scope(read(), tenant, project)
    kind = registry.find(connector)
    wanted = Endpoint(
        scope=within,
        endpoint_id=name,
        connector=connector,
        config=configuration(kind, pairs or ()),
        credential_ref=credential_ref,
        schedule=schedule,
        page_size=page_size,
    )
    suits(kind, wanted)
    async with acting_for(within.tenant_id) as tx:
        added = await endpoints.add(tx, wanted, operator())
    tell(added, json, done=f"Added. See whether it can be read: `windrow endpoint test {name}`")


@endpoint.command("list")
@command
async def listed(
    everywhere: Annotated[bool, typer.Option("--all-projects", help="Those of all projects.")] = False,
    removed: Annotated[bool, typer.Option("--removed", help="Also those that were removed.")] = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Every source: its connector, how it is and why, its schedule, and when it was last asked."""
    within = scope(read(), tenant, project)
    where = None if everywhere else within
    async with acting_for(within.tenant_id) as tx:
        found = await endpoints.listed(tx, where, removed=removed)
        standing = await endpoints.standings(tx, where)
    known = [standing.get((each.scope.project_id, each.endpoint_id), ("removed", None)) for each in found]
    rows = [document(each) | {"state": state, "why": why} for each, (state, why) in zip(found, known, strict=True)]
    if json:
        show.document(rows)
        return
    columns = ["name", "connector", "state", "why", "schedule", "last_checked_at"]
    columns = (["project"] if everywhere else []) + columns + (["removed_at"] if removed else [])
    show.table(rows, columns, empty="No source yet: `windrow endpoint add NAME CONNECTOR FIELD=VALUE…`.")


@endpoint.command("show")
@command
async def shown(name: Name, tenant: Tenant = None, project: Project = None, json: Json = False) -> None:
    """One source with all its settings, also when it was removed."""
    tell(await found(scope(read(), tenant, project), name, removed=True), json)


@endpoint.command("test")
@command
async def tried(
    name: Name,
    preview: Annotated[
        int, typer.Option(min=0, max=50, help="Also read a first page, and show this many of its items.")
    ] = 0,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Can the source be read with this configuration and credential? Nothing is written. Ends with 1 if it cannot."""
    settings = read()
    subject = await found(scope(settings, tenant, project), name)
    trial = await attempt(settings, os.environ, subject, preview=preview)
    if json:
        show.document(asdict(trial) | {"well": trial.well})
    else:
        report(trial)
    if not trial.well:
        raise SystemExit(1)


@endpoint.command()
@command
async def edit(
    name: Name,
    pairs: Pairs = None,
    unset: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="Take this field out of the configuration.")
    ] = None,
    credential_ref: Annotated[
        str | None, typer.Option(metavar="REF", help="Where its credential is kept; '' for none.")
    ] = None,
    schedule: Annotated[
        str | None, typer.Option(metavar="WHEN", help="As for `add`; '' to harvest it only when asked to.")
    ] = None,
    page_size: Annotated[int | None, typer.Option(help="Records a page; 0 leaves it to the connector.")] = None,
    expect: Expect = None,
    reason: Reason = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Change a source's settings; what is not named stays as it is."""
    within = scope(read(), tenant, project)
    given = {"credential_ref": credential_ref, "schedule": schedule, "page_size": page_size}
    changes: dict[str, Any] = {field: value or None for field, value in given.items() if value is not None}
    async with acting_for(within.tenant_id) as tx:
        before = await endpoints.get(tx, within, name)
        kind = registry.find(before.connector)
        if pairs or unset:
            changes["config"] = configuration(kind, pairs or (), over=without(before.config, unset or ()))
        if not changes:
            raise ValidationFailure(
                "there is nothing to change", hint="name a FIELD=VALUE or an option; --help lists them"
            )
        edited = await endpoints.edit(
            tx,
            before,
            changes,
            expected_version=before.version if expect is None else expect,
            actor=operator(),
            reason=printable(reason),
        )
        suits(kind, edited)
    same = edited.version == before.version
    tell(edited, json, done="Nothing differs from what was there." if same else f"Now at version {edited.version}.")


@endpoint.command()
@command
async def remove(
    name: Name,
    reason: Annotated[str, typer.Option(help="Why, for the audit trail.")],
    expect: Expect = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Harvest a source no more. Its items stay in the catalog; adding the same name again revives it."""
    within = scope(read(), tenant, project)
    async with acting_for(within.tenant_id) as tx:
        removed = await endpoints.remove(
            tx, within, name, actor=operator(), reason=printable(reason) or "", expected_version=expect
        )
    tell(removed, json, done="Removed. What was harvested from it stays in the catalog.")


async def found(within: Scope, name: str, *, removed: bool = False) -> Endpoint:
    async with acting_for(within.tenant_id) as tx:
        return await endpoints.get(tx, within, name, removed=removed)


def configuration(kind: AnyConnector, pairs: Sequence[str], *, over: dict[str, Any] | None = None) -> dict[str, Any]:
    """The configuration that the pairs spell. A secret among them is told as such, also where no field has its name."""
    for pair in pairs:
        field, _, text = pair.partition("=")
        endpoints.refuse_secrets({field.removesuffix(":"): text})
    return parse_pairs(kind, pairs, over=over)


def without(config: dict[str, Any], unset: Sequence[str]) -> dict[str, Any]:
    """The configuration but for these fields, each of which has to be there."""
    if strange := [field for field in unset if field not in config]:
        raise ValidationFailure(
            f"the configuration has no {', '.join(strange)[:200]}", hint=f"it has {', '.join(config) or 'nothing'}"
        )
    return {field: value for field, value in config.items() if field not in unset}


def suits(kind: AnyConnector, wanted: Endpoint) -> None:
    """The endpoint asks of its connector what that can give."""
    must_suit(kind.spec, credential_ref=wanted.credential_ref, page_size=wanted.page_size)


def printable(reason: str | None) -> str | None:
    """A reason as the trail can hold it."""
    if reason is not None and not (reason.strip() and reason.isprintable()):
        raise ValidationFailure("the reason says nothing that can be read", hint="give a few words of plain text")
    return reason


def document(subject: Endpoint) -> dict[str, Any]:
    """An endpoint as it is shown; its rules keep secrets out of it, and so does this."""
    fields = {
        name: getattr(subject, name) for name in ("connector", "config", "credential_ref", "schedule", "page_size")
    }
    moments = {name: getattr(subject, name) for name in ("created_at", "updated_at", "last_checked_at", "removed_at")}
    named = {"name": subject.endpoint_id, "project": subject.scope.project_id}
    fields["config"] = PROCESS.value(fields["config"])
    return {**named, **fields, "filters": subject.filters, "version": subject.version, **moments}


def tell(subject: Endpoint, json: bool, done: str | None = None) -> None:
    """The endpoint as it is now, and what became of the command."""
    (show.document if json else show.pairs)(document(subject))
    if done and not json:
        Console(highlight=False, soft_wrap=True).print(done, markup=False)


def report(trial: Trial) -> None:
    """A line for each finding, with the next step where it is not well; then what the first page holds."""
    console = Console(highlight=False, soft_wrap=True)
    for finding in trial.findings:
        mark = "[green]ok  [/]" if finding.well else "[bold red]FAIL[/]"
        console.print(f"{mark} [bold]{finding.name:<13}[/]", Text(show.cell(finding.detail)))
        if finding.hint and not finding.well:
            console.print(f"{'':<19}next: {finding.hint}", markup=False)
    if trial.records is not None:
        console.print(f"\nThe first page has {trial.records} records, {trial.refused} of them would be refused.")
        show.table(trial.items, ("entity_type", "external_id", "display_name"), empty="It holds no item.")
