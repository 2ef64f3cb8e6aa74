"""Which items changed last: what one sees who has not asked for anything yet."""

from dataclasses import dataclass, fields
from typing import Any

from windrow.catalog.difference import Kind
from windrow.catalog.filters import Filters
from windrow.catalog.history import END, Mark
from windrow.catalog.reading import Summary
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row

MOST = 200
# so far back is looked for what the filters mean: at first some times what a page shows, and on when that was not enough
FIRST, FURTHEST = 8, 2_500

_SUMMARY = tuple(field.name for field in fields(Summary))

Q = load(__package__, "latest.sql")


@dataclass(frozen=True, slots=True)
class Fresh:
    """An item, and what last happened to it."""

    item: Summary
    kind: Kind


@dataclass(frozen=True, slots=True)
class Latest:
    """Items by when they changed, the latest first. `looked` changes were looked at; `next` goes on with those before."""

    items: tuple[Fresh, ...]
    looked: int
    next: Mark | None


async def latest(
    tx: Transaction,
    scope: Scope,
    filters: Filters | None = None,
    *,
    after: Mark | None = None,
    limit: int = 50,
    furthest: int = FURTHEST,
) -> Latest:
    """A page of the items that are meant. It may be short, or empty, and still go on: nobody looks back without end."""
    filters, mark, size = filters or Filters(), after or END, max(1, min(limit, MOST))
    found: list[Row] = []
    looked, most = 0, min(FIRST * size, furthest)
    meant: dict[str, Any] = {name: getattr(filters, name) for name in filters.__dataclass_fields__}
    while True:
        place = {"at": mark.at, "item_id": mark.item_id, "revision": mark.revision, "most": most}
        rows = await tx.rows(Q.latest, project=scope.project_id, **meant, **place, limit=size + 1 - len(found))
        found += [row for row in rows if row["item_id"] is not None]
        looked += rows[0]["looked"]
        if len(found) > size:
            return Latest(_fresh(found[:size]), looked, _mark(found[size - 1]))
        if rows[0]["looked"] < most:
            return Latest(_fresh(found), looked, None)
        mark = Mark(rows[0]["ended_at"], rows[0]["ended_id"], rows[0]["ended_revision"])
        if looked >= furthest:
            return Latest(_fresh(found), looked, mark)
        most = furthest - looked


def _fresh(rows: list[Row]) -> tuple[Fresh, ...]:
    return tuple(Fresh(Summary(**{name: row[name] for name in _SUMMARY}), _kind(row)) for row in rows)


def _kind(row: Row) -> Kind:
    if row["deleted"]:
        return Kind.DELETED
    if row["revision"] == 1:
        return Kind.CREATED
    return Kind.RESTORED if row["was_deleted"] else Kind.CHANGED


def _mark(row: Row) -> Mark:
    return Mark(row["at"], row["item_id"], row["revision"])
