"""Reading the catalog: what a list shows of items, one item with all that is known about it, and how many there are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import Identity
from windrow.contracts.item import NormalizedItem, Provenance, Relation
from windrow.contracts.scope import Scope, checked_name
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row

_BEGINNING = re.compile(r"[0-9a-f]{4,32}")
_PROVENANCE = Provenance.__struct_fields__
_ITEM = tuple(name for name in NormalizedItem.__struct_fields__ if name not in ("provenance", "relations"))

Q = load(__package__, "reading.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a list shows of an item."""

    item_id: UUID
    endpoint_id: str
    entity_type: str
    external_id: str
    display_name: str
    canonical_path: str | None
    url: str | None
    owners: list[str]
    labels: list[str]
    deleted: bool
    source_updated_at: datetime | None
    revision: int
    first_seen_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An item as the catalog holds it: the contract, and what the catalog itself knows."""

    item: NormalizedItem
    revision: int
    first_seen_at: datetime
    first_run_id: str
    changed_at: datetime

    def document(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        contract: dict[str, Any] = msgspec.to_builtins(self.item)
        return contract | {
            "revision": self.revision,
            "first_seen_at": self.first_seen_at.isoformat(),
            "first_run_id": self.first_run_id,
            "changed_at": self.changed_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Count:
    """How many items of one type an endpoint has in the catalog; `deleted` are the tombstones, not counted in `items`."""

    endpoint_id: str
    entity_type: str
    items: int
    deleted: int


async def summaries(tx: Transaction, ids: Sequence[UUID]) -> list[Summary]:
    """Those that are there, in the order of their ids."""
    return await tx.into(Summary, Q.summaries, ids=list(ids)) if ids else []


async def identify(tx: Transaction, scope: Scope, named: str, external_id: str | None = None) -> UUID:
    """The id of an item that is named by its id, by the beginning of it, or by its endpoint and the source's own id."""
    if external_id is not None:
        return UUID(Identity(scope, checked_name("endpoint", named)).item_id(_sendable(external_id)))
    digits = named.strip().lower().replace("-", "")
    if not _BEGINNING.fullmatch(digits):
        raise ValidationFailure(
            f"{named[:80]!r} is not an item's id, nor the beginning of one",
            hint="`windrow items search` finds items by their words; an endpoint's name and the source's own id name one too",
        )
    if len(digits) == 32:
        return UUID(digits)
    first, last = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    rows = await tx.rows(Q.between, project=scope.project_id, first=first, last=last)
    if len(rows) > 1:
        ids = ", ".join(str(row["item_id"]) for row in rows[:3])
        raise ValidationFailure(f"several items' ids begin with {named}: {ids} …", hint="give more of the id")
    if not rows:
        raise _missing(named)
    found: UUID = rows[0]["item_id"]
    return found


async def confirm(tx: Transaction, scope: Scope, item_id: UUID) -> None:
    """That it is an item of the project: its history and its relations are asked for by its id alone."""
    if await tx.value(Q.there, project=scope.project_id, item_id=item_id) is None:
        raise _missing(str(item_id))


async def item(tx: Transaction, scope: Scope, item_id: UUID) -> Held:
    """One item, its provenance and its relations."""
    row = await tx.row(Q.item, project=scope.project_id, item_id=item_id)
    if row is None:
        raise _missing(str(item_id))
    return held(row)


def held(row: Row) -> Held:
    """A row of the catalog, with its relations, as the value it stands for."""
    said = row | {"item_id": str(row["item_id"]), "owners": tuple(row["owners"]), "labels": tuple(row["labels"])}
    return Held(
        item=NormalizedItem(
            **{name: said[name] for name in _ITEM},
            relations=tuple(Relation(*pair) for pair in row["relations"]),
            provenance=Provenance(**{name: row[name] for name in _PROVENANCE}),
        ),
        revision=row["revision"],
        first_seen_at=row["first_seen_at"],
        first_run_id=row["first_run_id"],
        changed_at=row["changed_at"],
    )


async def counts(tx: Transaction, scope: Scope, *, endpoint: str | None = None) -> list[Count]:
    """How many items there are, by endpoint and type."""
    rows = await tx.rows(Q.count, project=scope.project_id, endpoint=endpoint)
    gone_rows = await tx.rows(Q.count_gone, project=scope.project_id, endpoint=endpoint)
    gone = {(row["endpoint_id"], row["entity_type"]): row["items"] for row in gone_rows}
    counted = []
    for row in rows:
        deleted = gone.get((row["endpoint_id"], row["entity_type"]), 0)
        counted.append(Count(row["endpoint_id"], row["entity_type"], row["items"] - deleted, deleted))
    return counted


def _sendable(external_id: str) -> str:
    if "\x00" in external_id or any("\ud800" <= char <= "\udfff" for char in external_id):
        raise _missing(external_id.encode("unicode_escape").decode()[:80])
    return external_id


def _missing(named: str) -> ValidationFailure:
    return ValidationFailure(
        f"item {named[:80]} is not in the catalog",
        code=Code.NOT_FOUND,
        hint="`windrow items search` finds items by their words",
    )
