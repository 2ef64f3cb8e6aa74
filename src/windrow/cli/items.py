"""`windrow items`: the catalog, from a shell."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer

from windrow import catalog
from windrow.app.compose import opened
from windrow.catalog import Filters
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, scope
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction
from windrow.settings import read

items = typer.Typer(help="The catalog: what was harvested, from a shell.", invoke_without_command=True)

Named = Annotated[
    str, typer.Argument(metavar="ITEM", help="An item's id, the beginning of it, or the name of its endpoint …")
]
External = Annotated[str | None, typer.Argument(metavar="[EXTERNAL_ID]", help="… and the id that the source gives it.")]
Endpoint = Annotated[str | None, typer.Option(help="Only items of this endpoint.")]
Type = Annotated[str | None, typer.Option("--type", help="Only items of this type, such as `file`.")]
Label = Annotated[str | None, typer.Option(help="Only items with this label.")]
Owner = Annotated[str | None, typer.Option(help="Only items of this owner.")]
Deleted = Annotated[bool, typer.Option("--deleted", help="Those that are gone, instead of those that are there.")]
Limit = Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")]

NOTHING = "Nothing was harvested yet: `windrow endpoint add` names a source, `windrow sync NAME` harvests it."
NONE_SUCH = "There is none: `windrow items count` shows what there is."
NOT_FOUND = "Nothing was found: try fewer words, or the beginning of one; `windrow items count` shows what there is."
# enough of an id to name one item of many millions
_SHORT = 13


@asynccontextmanager
async def reading(tenant: str | None, project: str | None) -> AsyncIterator[tuple[Transaction, Scope]]:
    """One transaction for the scope that was named, or that of the settings."""
    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app, app.database.tenant(within.tenant_id) as tx:
        yield tx, within


@items.callback()
def _without_a_word(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        listed()


@items.command("list")
@command
async def listed(
    endpoint: Endpoint = None,
    entity_type: Type = None,
    label: Label = None,
    owner: Owner = None,
    deleted: Deleted = False,
    limit: Limit = 50,
    after: Annotated[
        str | None, typer.Option(metavar="ITEM", help="Only those behind this one: the next page.")
    ] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """List items by endpoint, type and id."""
    filters = Filters(endpoint=endpoint, entity_type=entity_type, label=label, owner=owner, deleted=deleted)
    async with reading(tenant, project) as (tx, within):
        last = await catalog.identify(tx, within, after) if after else None
        page = await catalog.items(tx, within, filters, after=last, limit=limit)
        while page.next and not page.items:  # what is seldom may stand far behind
            page = await catalog.items(tx, within, filters, after=page.next, limit=limit)
    if json:
        show.document({"items": page.items, "next": page.next})
        return
    table(map(line, page.items), empty=NOTHING if filters == Filters() and not after else NONE_SUCH)
    if page.next:
        go_on(page.next)


@items.command()
@command
async def search(
    text: Annotated[
        list[str], typer.Argument(help="Words, 'exact phrases' in double quotes, -words that must not be.")
    ],
    endpoint: Endpoint = None,
    entity_type: Type = None,
    label: Label = None,
    owner: Owner = None,
    deleted: Deleted = False,
    limit: Limit = 20,
    after: Annotated[int, typer.Option(min=0, metavar="N", help="Leave out the first N: the next page.")] = 0,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Find items by words of their name, path, id, labels and owners; the last word may be unfinished."""
    filters = Filters(endpoint=endpoint, entity_type=entity_type, label=label, owner=owner, deleted=deleted)
    async with reading(tenant, project) as (tx, within):
        found = await catalog.search(tx, within, " ".join(text), filters, skip=after, limit=limit)
    hits = [asdict(hit.item) | {"where": hit.where.name.lower()} for hit in found.hits]
    if json:
        show.document(
            {"hits": hits, "count": found.count, "is_all": found.is_all, "behind": found.behind, "next": found.next}
        )
        return
    table((line(hit.item) for hit in found.hits), empty=NOT_FOUND)
    if found.behind:
        aside(f"{found.behind} items were written so lately that they cannot be found yet: search again in a moment.")
    if not found.is_all:
        aside(f"At least {found.count} were found; the words are frequent, so this is the best of a sample.")
    if found.next:
        go_on(found.next)


@items.command("show")
@command
async def shown(
    named: Named,
    external_id: External = None,
    with_history: Annotated[bool, typer.Option("--history", help="And what changed, when, by which run.")] = False,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Show all that is known about an item: what the source says, and how it was learnt."""
    async with reading(tenant, project) as (tx, within):
        item_id = await catalog.identify(tx, within, named, external_id)
        held = await catalog.item(tx, within, item_id)
        steps = await catalog.history(tx, item_id) if with_history else []
    document = held.document()
    if json:
        show.document(document | {"history": steps} if with_history else document)
        return
    show.pairs(spread(document))
    if with_history:
        typer.echo()
        table_of_steps(steps)


@items.command()
@command
async def history(
    named: Named, external_id: External = None, tenant: Tenant = None, project: Project = None, json: Json = False
) -> None:
    """What changed in an item, when, and by which run: the newest first, down to its creation."""
    async with reading(tenant, project) as (tx, within):
        item_id = await catalog.identify(tx, within, named, external_id)
        await catalog.item(tx, within, item_id)
        steps = await catalog.history(tx, item_id)
    if json:
        show.document(steps)
    else:
        table_of_steps(steps)


@items.command()
@command
async def relations(
    named: Named,
    external_id: External = None,
    limit: Limit = 100,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """What an item has to do with others, and others with it."""
    async with reading(tenant, project) as (tx, within):
        item_id = await catalog.identify(tx, within, named, external_id)
        await catalog.item(tx, within, item_id)
        found = await catalog.relations(tx, item_id, limit=limit)
    ways = [("to", each) for each in found.outgoing] + [("from", each) for each in found.incoming]
    if json:
        show.document({"outgoing": found.outgoing, "incoming": found.incoming, "more": found.more})
        return
    rows = [
        {
            "relation": each.type,
            "way": way,
            "item": str(each.item_id)[:_SHORT],
            "type": each.entity_type or "not harvested",
            "name": each.display_name or each.external_id,
            "gone": "gone" if each.deleted else "",
        }
        for way, each in ways
    ]
    columns = ("way", "relation", "item", "type", "name", "gone")
    show.table(rows, columns, empty="It has to do with no other item that the source tells of.")
    if found.more:
        aside("There are more: --limit shows them.")


@items.command()
@command
async def changes(
    limit: Limit = 50,
    after: Annotated[
        str | None, typer.Option(metavar="MARK", help="What is older than this place, which the page before names.")
    ] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """What changed lately, the newest first."""
    mark = catalog.Mark.parse(after) if after else None
    async with reading(tenant, project) as (tx, within):
        found, rest = await catalog.changes(tx, within, after=mark, limit=limit)
    if json:
        show.document({"changes": found, "next": str(rest) if rest else None})
        return
    rows = [
        {
            "at": change.at,
            "what": change.kind,
            "item": str(change.item_id)[:_SHORT],
            "name": change.display_name,
            "fields": ", ".join(each.field for each in change.differences),
            "run": change.run_id,
        }
        for change in found
    ]
    show.table(rows, ("at", "what", "item", "name", "fields", "run"), empty=NOTHING if mark is None else NONE_SUCH)
    if rest:
        go_on(rest)


@items.command()
@command
async def count(endpoint: Endpoint = None, tenant: Tenant = None, project: Project = None, json: Json = False) -> None:
    """How many items there are, by endpoint and type; those that are gone apart."""
    async with reading(tenant, project) as (tx, within):
        counted = await catalog.counts(tx, within, endpoint=endpoint)
    if json:
        show.document(counted)
        return
    rows = [
        {"endpoint": each.endpoint_id, "type": each.entity_type, "items": each.items, "gone": each.deleted}
        for each in counted
    ]
    if len(rows) > 1:
        totals = {"items": sum(each.items for each in counted), "gone": sum(each.deleted for each in counted)}
        rows.append({"endpoint": "all", "type": "", **totals})
    show.table(rows, ("endpoint", "type", "items", "gone"), empty=NOTHING if endpoint is None else NONE_SUCH)


def line(item: catalog.Summary) -> dict[str, Any]:
    """An item as a row of a table."""
    return {
        "item": str(item.item_id)[:_SHORT],
        "endpoint": item.endpoint_id,
        "type": item.entity_type,
        "name": item.display_name,
        "path": item.canonical_path or item.external_id,
    }


def table(rows: Iterable[dict[str, Any]], *, empty: str) -> None:
    show.table(rows, ("item", "endpoint", "type", "name", "path"), empty=empty)


def table_of_steps(steps: list[catalog.Revision]) -> None:
    """A row for each field that changed; what happened stands in the first of them."""
    rows: list[dict[str, Any]] = []
    for step in steps:
        first: dict[str, Any] = {"revision": step.revision, "at": step.at, "what": step.kind, "run": step.run_id}
        fields = [{"field": each.field, "before": each.before, "after": each.after} for each in step.differences]
        again = dict.fromkeys(first, "")
        rows += [(first if not at else again) | field for at, field in enumerate(fields or [_untold(step)])]
    show.table(rows, ("revision", "at", "what", "run", "field", "before", "after"), empty=NONE_SUCH)


def _untold(step: catalog.Revision) -> dict[str, str]:
    # a change of which history keeps no field was one of the relations
    field = "relations" if step.kind is catalog.Kind.CHANGED else ""
    return {"field": field, "before": "", "after": ""}


def spread(document: dict[str, Any]) -> dict[str, Any]:
    """What is nested as names and values of its own."""
    flat: dict[str, Any] = {}
    for name, value in document.items():
        if name == "relations":
            flat[name] = len(value)
        elif isinstance(value, dict):
            flat |= {f"{name}.{inner}": each for inner, each in value.items()}
        else:
            flat[name] = value
    return flat


def go_on(place: object) -> None:
    aside(f"There are more: --after {place}")


def aside(text: str) -> None:
    """Said beside the table, so that what reads the table reads only rows."""
    typer.echo(text, err=True)
