"""What an item has to do with others, both ways."""

from dataclasses import dataclass
from uuid import UUID

from windrow.postgres import Transaction, load

Q = load(__package__, "relations.sql")


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
