"""`windrow quarantine`: what was refused, why, and trying it again."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any

import typer

from windrow.app.compose import App, opened
from windrow.app.outside import outside
from windrow.app.quarantine import retried
from windrow.app.sources import Sources
from windrow.cli import show
from windrow.cli.endpoint import printable
from windrow.cli.frame import Json, Project, Reason, Tenant, command, operator, scope
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.harvest import quarantine as store
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Verdict
from windrow.postgres import Transaction
from windrow.settings import read

quarantine = typer.Typer(help="Records that were refused: which, why, and trying them again.", no_args_is_help=True)

Ids = Annotated[list[str] | None, typer.Argument(metavar="ID", help="The entries, or the beginnings of their ids.")]
Of = Annotated[str | None, typer.Option("--endpoint", help="Only those of this endpoint.")]
All = Annotated[bool, typer.Option("--all", help="All that are open (of the endpoint, if one is given).")]
STATES = ("open", "retried", "overtaken", "dropped")
MOST = 10_000

NEXT = {
    Verdict.REFUSED: "mend the connector or the source; `windrow quarantine show ID` lists every reason",
    Verdict.NOT_KEPT: "it was too large, no JSON, or held a secret: the next `windrow sync` reads it anew from the source",
    Verdict.KNOWN: "the catalog holds this item, perhaps newer: `windrow sync` asks the source, `drop` gives the entry up",
    Verdict.CHANGED: "it was dealt with, or refused again, meanwhile: `windrow quarantine list` shows how it stands",
}


@quarantine.command("list")
@command
async def listed(
    endpoint: Of = None,
    state: Annotated[str, typer.Option(help=f"{', '.join(STATES)} or all.")] = "open",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at the most.")] = 50,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Refused records, the latest first, each with its first reason."""
    if state not in (*STATES, "all"):
        raise ValidationFailure(f"{state[:40]!r} is no state", hint=f"choose one of {', '.join(STATES)}, all")
    async with within(tenant, project) as (tx, _, place):
        found = await store.listed(
            tx, project=place.project_id, endpoint=endpoint, state=None if state == "all" else state, limit=limit
        )
    if json:
        show.document([document(entry) for entry in found])
        return
    rows = [
        {
            "id": entry.id,
            "endpoint": entry.endpoint_id,
            "state": entry.state,
            "external_id": entry.external_id,
            "times": entry.times,
            "last_at": entry.last_at,
            "reason": first(entry),
        }
        for entry in found
    ]
    nothing = "Nothing is in quarantine: every record kept the contract, or was dealt with."
    show.table(rows, list(rows[0]) if rows else (), empty=nothing)


@quarantine.command("show")
@command
async def shown(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The entry, or the beginning of its id.")],
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """One entry: every reason, where it was in the source, and a redacted excerpt."""
    async with within(tenant, project) as (tx, _, place):
        found = await store.find(tx, place.project_id, entry_id)
    (show.document if json else show.pairs)(document(found))


@quarantine.command()
@command
async def retry(
    ids: Ids = None,
    endpoint: Of = None,
    everything: All = False,
    reason: Reason = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Put refused records through today's connector and contract; what passes is published, as old as it is."""
    settings = read()
    place = scope(settings, tenant, project)
    async with opened(settings) as app, outside(settings, os.environ) as beyond:
        async with app.database.tenant(place.tenant_id) as tx:
            entries = await chosen(tx, place, ids, endpoint, everything)
        sources = Sources(settings, app.database, beyond.vault)
        told: list[dict[str, Any]] = []
        for name, group in groupby(
            sorted(entries, key=lambda entry: entry.endpoint_id), lambda entry: entry.endpoint_id
        ):
            done = await retried(
                app.database, sources, place, name, list(group), actor=operator(), reason=printable(reason)
            )
            told += [outcome(attempt) for attempt in done]
    if json:
        show.document(told)
    else:
        show.table(told, ("id", "endpoint", "outcome", "next"), empty="There is nothing to try again.")


@quarantine.command()
@command
async def drop(
    reason: Annotated[str, typer.Option(help="Why they may be given up, for the audit trail.")],
    ids: Ids = None,
    endpoint: Of = None,
    everything: All = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Give refused records up. One that is refused again comes back."""
    why = printable(reason) or ""
    async with within(tenant, project) as (tx, _, place):
        entries = await chosen(tx, place, ids, endpoint, everything)
        dropped = [entry.id for entry in entries if await store.drop(tx, entry, actor=operator(), reason=why)]
    (show.document if json else show.pairs)({"dropped": len(dropped), "ids": dropped})


@asynccontextmanager
async def within(tenant: str | None, project: str | None) -> AsyncIterator[tuple[Transaction, App, Scope]]:
    """One transaction for the scope that was named, or that of the settings."""
    settings = read()
    place = scope(settings, tenant, project)
    async with opened(settings) as app, app.database.tenant(place.tenant_id) as tx:
        yield tx, app, place


async def chosen(
    tx: Transaction, place: Scope, ids: Sequence[str] | None, endpoint: str | None, everything: bool
) -> list[Quarantined]:
    """The entries that were named, or all that are open; to name neither is not taken for all."""
    if bool(ids) == everything:
        raise ValidationFailure("name the entries, or say --all", hint="`windrow quarantine list` shows their ids")
    if not ids:
        return await store.listed(tx, project=place.project_id, endpoint=endpoint, limit=MOST)
    found = {entry.id: entry for entry in [await store.find(tx, place.project_id, each) for each in ids]}
    return [entry for entry in found.values() if endpoint in (None, entry.endpoint_id)]


def outcome(attempt: Attempt) -> dict[str, Any]:
    """What became of one entry, and the next step where it is still there."""
    entry, verdict = attempt.entry, attempt.verdict
    reasons = [f"{reason.why} {reason.path} {reason.message}" for reason in attempt.reasons]
    step = NEXT.get(verdict)
    told = {"id": entry.id, "endpoint": entry.endpoint_id, "outcome": str(verdict), "reasons": reasons}
    return told | {"next": step.replace("ID", entry.id) if step else None}


def first(entry: Quarantined) -> str:
    """The first of its reasons, and how many more there are."""
    reason = entry.reasons[0]
    more = f" (and {len(entry.reasons) - 1} more)" if len(entry.reasons) > 1 else ""
    return f"{reason['why']} {reason['path']} {reason['message']}{more}".replace("  ", " ")


def document(entry: Quarantined) -> dict[str, Any]:
    """An entry as it is shown: whether the record was kept, and an excerpt of it."""
    shown = {name: value for name, value in asdict(entry).items() if name not in ("record", "project_id")}
    return shown | {"kept": entry.record is not None}
