"""What few items have, found by an index instead of by looking at all the others.

A list is in the order of the ids, which are hashes: what is seldom may stand anywhere in it. Two indexes know where: that of
the places (endpoint, type, tombstones), and that of the words, where every label and owner is one (migration 0022). Neither
knows about an order, so each is asked only for what is few; and both may name too many, so the rows are asked again.
"""

from dataclasses import dataclass
from uuid import UUID

from windrow.catalog.filters import Filters
from windrow.catalog.sought import Sought
from windrow.contracts.scope import Scope
from windrow.postgres import Query, Transaction, load

# what more items than these have is met soon enough by going through all
FEW = 3_000
# so many rows are looked at for one page
AHEAD = 500

Q = load(__package__, "seldom.sql")


@dataclass(frozen=True, slots=True)
class Few:
    """The ids behind a place that may be meant, in their order; unless `is_all` there are more behind the last."""

    ids: tuple[UUID, ...]
    is_all: bool


async def seldom(tx: Transaction, scope: Scope, filters: Filters, *, after: UUID, few: int = FEW) -> Few | None:
    """All others are not meant. None where it is not known of enough others."""
    # by the one that is likely to name fewer
    words = filters.label or filters.owner or (filters.entity_type and not filters.endpoint)
    for way in (_by_words, _by_place) if words else (_by_place, _by_words):
        found = await way(tx, scope, filters, after, few)
        if found is not None:
            return found
    return None


async def _by_place(tx: Transaction, scope: Scope, filters: Filters, after: UUID, few: int) -> Few | None:
    place = {"endpoint": filters.endpoint, "entity_type": filters.entity_type}
    return await _asked(tx, Q.by_place, scope, filters, after, few, **place)


async def _by_words(tx: Transaction, scope: Scope, filters: Filters, after: UUID, few: int) -> Few | None:
    if not (filters.label or filters.owner or filters.entity_type):
        return None
    known = await tx.row(Q.waiting, entity_type=filters.entity_type, most=few)
    assert known, "it always answers"
    words = tuple(known["words"])
    sought = Sought(entity_type=words, label=filters.label, owner=filters.owner, endpoint=filters.endpoint).anywhere
    # a type may have no words, and nobody has looked at those that wait
    if not sought or len(known["ids"]) > few:
        return None
    return await _asked(tx, Q.by_words, scope, filters, after, few, sought=sought, waiting=known["ids"])


async def _asked(
    tx: Transaction, query: Query, scope: Scope, filters: Filters, after: UUID, few: int, **more: object
) -> Few | None:
    row = await tx.row(
        query,
        project=scope.project_id,
        deleted=filters.deleted,
        after=after,
        most=few,
        take=AHEAD + 1,
        **more,
    )
    assert row, "a count always answers"
    ids = tuple(row["ids"] or ())
    return Few(ids[:AHEAD], len(ids) <= AHEAD) if row["count"] <= few else None
