"""`/api/v1/items`: the catalog. Lists, search, facets; an item with its provenance, history and relations."""

from dataclasses import astuple
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query
from pydantic import BaseModel

from windrow import catalog
from windrow.catalog import Change, Filters, Relations, Revision, Summary, Tally
from windrow.console.api.access import Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import OfEndpoint, Words

router = resource("catalog")

MOST_RELATED = 500


class HitView(BaseModel):
    """An item that was found, and where: whole_name, name, path or elsewhere."""

    item: Summary
    where: str


class Hits(Page[HitView]):
    """The best first. There are `count` of them; unless `is_all`, there are more, which nobody looked at. `behind` items were
    written so lately that they cannot be found yet."""

    count: int
    is_all: bool
    behind: int


class RelationView(BaseModel):
    """What the other is to it, and how the source names the other."""

    type: str
    target: str


class ProvenanceView(BaseModel):
    """How an item was learnt."""

    source_system: str
    connector: str
    connector_version: str
    fetched_at: datetime
    spec_ref: str
    run_id: str
    observation: int


class ItemView(BaseModel):
    """All that is known about an item: what the source says, how it was learnt, and how often it has changed."""

    item_id: UUID
    endpoint_id: str
    source_system: str
    entity_type: str
    external_id: str
    display_name: str
    canonical_path: str | None = None
    url: str | None = None
    owners: list[str] = []
    labels: list[str] = []
    source_version: str | None = None
    source_created_at: datetime | None = None
    source_updated_at: datetime | None = None
    deleted: bool = False
    attributes: dict[str, Any] = {}
    relations: list[RelationView] = []
    content_hash: str
    provenance: ProvenanceView
    revision: int
    first_seen_at: datetime
    first_run_id: str
    changed_at: datetime


class Facets(BaseModel):
    """How many items there are, by endpoint and type. Unless `is_all`, some that have few items are left out."""

    items: list[Tally]
    is_all: bool


def _filters(
    endpoint: OfEndpoint = None,
    entity_type: Annotated[Words | None, Query(description="Only items of this type, such as `file`.")] = None,
    label: Annotated[Words | None, Query(description="Only items with this label.")] = None,
    owner: Annotated[Words | None, Query(description="Only items of this owner.")] = None,
    deleted: Annotated[bool, Query(description="Those that are gone, instead of those that are there.")] = False,
) -> Filters:
    return Filters(endpoint=endpoint, entity_type=entity_type, label=label, owner=owner, deleted=deleted)


Filtered = Annotated[Filters, Depends(_filters)]


@router.get("/items")
async def listed(caller: Reader, here: Here, asked: Paged, filters: Filtered) -> Page[Summary]:
    """Items in the order of their ids. Of what is seldom a page may hold few or none, and there are more as long as `next` is given."""
    turn = asked.about("items", UUID, **_told(filters))
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await catalog.items(tx, caller.scope, filters, after=turn.after, limit=turn.limit)
    return Page(items=list(found.items), next=turn.behind(found.next))


@router.get("/items/search")
async def searched(
    caller: Reader,
    here: Here,
    asked: Paged,
    filters: Filtered,
    q: Annotated[str, Query(max_length=1000, description='Words, "exact phrases", -words that must not be.')],
) -> Hits:
    """Find items by words of their name, path, id, labels and owners; the last word may be unfinished."""
    turn = asked.about("search", int, q=q, **_told(filters))
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await catalog.search(tx, caller.scope, q, filters, skip=turn.after or 0, limit=turn.limit)
    hits = [HitView(item=hit.item, where=hit.where.name.lower()) for hit in found.hits]
    return Hits(items=hits, next=turn.behind(found.next), count=found.count, is_all=found.is_all, behind=found.behind)


@router.get("/items/facets")
async def facets(
    caller: Reader,
    here: Here,
    endpoint: OfEndpoint = None,
    exact: Annotated[bool, Query(description="Count them all, which takes longer the more there are.")] = False,
) -> Facets:
    """How many items there are, by endpoint and type; those that are gone apart. Up to a bound they are counted, and beyond
    guessed: `items_are` and `deleted_are` say which. With `exact`, all are counted."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        if exact:
            counted = await catalog.counts(tx, caller.scope, endpoint=endpoint)
            return Facets(items=[Tally(*astuple(each)) for each in counted], is_all=True)
        told = await catalog.tallies(tx, caller.scope, endpoint=endpoint)
    return Facets(items=list(told.items), is_all=told.is_all)


@router.get("/items/{item_id}")
async def shown(caller: Reader, here: Here, item_id: UUID) -> ItemView:
    """One item."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return ItemView.model_validate((await catalog.item(tx, caller.scope, item_id)).document())


@router.get("/items/{item_id}/history")
async def history(caller: Reader, here: Here, asked: Paged, item_id: UUID) -> Page[Revision]:
    """What changed in an item, when, and by which run; the newest first, the last one is its creation."""
    turn = asked.about("history", int, item_id=item_id)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await catalog.confirm(tx, caller.scope, item_id)
        found = await catalog.history(tx, item_id, before=turn.after, limit=turn.ask_for)
    return turn.page(found, lambda each: each.revision)


@router.get("/items/{item_id}/relations")
async def related(
    caller: Reader, here: Here, item_id: UUID, limit: Annotated[int, Query(ge=1, le=MOST_RELATED)] = 100
) -> Relations:
    """What an item has to do with others, and others with it; up to `limit` each way."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await catalog.confirm(tx, caller.scope, item_id)
        return await catalog.relations(tx, item_id, limit=limit)


@router.get("/changes")
async def changes(caller: Reader, here: Here, asked: Paged) -> Page[Change]:
    """What changed lately, the newest first."""
    turn = asked.about("changes", str)
    mark = catalog.Mark.parse(turn.after) if turn.after else None
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found, rest = await catalog.changes(tx, caller.scope, after=mark, limit=turn.limit)
    return Page(items=found, next=turn.behind(str(rest) if rest else None))


def _told(filters: Filters) -> dict[str, Any]:
    return {name: getattr(filters, name) for name in ("endpoint", "entity_type", "label", "owner", "deleted")}
