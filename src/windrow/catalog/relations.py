"""What an item has to do with others, both ways."""

from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from windrow.postgres import Transaction, load

Q = load(__package__, "relations.sql")

# beyond these nobody counts: the number says enough
COUNTED, TYPES = 1000, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """The item at the other end. `entity_type` and what follows are None while it has not been harvested."""

    type: str
    item_id: UUID
    external_id: str
    entity_type: str | None
    display_name: str | None
    deleted: bool | None

    @property
    def in_catalog(self) -> bool:
        return self.entity_type is not None


@dataclass(frozen=True, slots=True)
class Relations:
    """Those that the item names, and those that name it; `more` where the limit cut either short."""

    outgoing: tuple[Related, ...]
    incoming: tuple[Related, ...]
    more: bool


async def relations(tx: Transaction, item_id: UUID, *, limit: int = 100) -> Relations:
    """Up to `limit` of an item's relations each way."""
    outgoing = await tx.into(Related, Q.outgoing, item_id=item_id, limit=limit + 1)
    incoming = await tx.into(Related, Q.incoming, item_id=item_id, limit=limit + 1)
    more = max(len(outgoing), len(incoming)) > limit
    return Relations(tuple(outgoing[:limit]), tuple(incoming[:limit]), more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """The others that stand in one relation to an item: those that it names (`outgoing`), or that name it. There are `count`
    of them, of which `others` are some; unless `is_all`, there are more."""

    type: str
    outgoing: bool
    others: tuple[Related, ...]
    count: int
    is_all: bool


async def ties(tx: Transaction, item_id: UUID, *, each: int = 24, counted: int = COUNTED) -> list[Tie]:
    """What stands around an item: up to `each` of every relation, and how many there are."""
    rows = await tx.rows(Q.around, item_id=item_id, each=each, types=TYPES, most=counted + 1)
    found = []
    for (outgoing, name), group in groupby(rows, lambda row: (row["outgoing"], row["type"])):
        members = list(group)
        count = members[0]["count"]
        others = tuple(Related(**{field: row[field] for field in Related.__dataclass_fields__}) for row in members)
        tie = Tie(type=name, outgoing=outgoing, others=others, count=min(count, counted), is_all=count <= counted)
        found.append(tie)
    return found
