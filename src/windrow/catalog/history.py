"""The history of an item, and what changed lately: what, when, by which run."""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Self
from uuid import UUID

from windrow.catalog.difference import Difference, Kind, differences, kind
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load

MOST = 500

Q = load(__package__, "history.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One step of an item's life: which run brought it, and what it made different."""

    revision: int
    at: datetime
    run_id: str
    kind: Kind
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step of some item's life."""

    item_id: UUID
    endpoint_id: str
    entity_type: str
    display_name: str
    revision: int
    at: datetime
    run_id: str
    kind: Kind
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the order of changes: behind it is what is older. What one batch changed has one time, so that alone is none."""

    at: datetime
    item_id: UUID
    revision: int

    def __str__(self) -> str:
        return f"{self.at.astimezone(UTC).isoformat()},{self.item_id},{self.revision}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """As `str` gives it."""
        try:
            at, item_id, revision = text.split(",")
            mark = cls(datetime.fromisoformat(at), UUID(item_id), int(revision))
            if mark.at.tzinfo and 0 <= mark.revision < 2**31:
                return mark
        except ValueError:
            pass
        raise ValidationFailure(
            f"{text[:80]!r} is no place in the changes", hint="take it from the end of the page before"
        )


# behind it is everything
END = Mark(datetime(9999, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1), 2**31 - 1)


async def history(
    tx: Transaction, item_id: UUID, *, before: int | None = None, limit: int | None = None
) -> list[Revision]:
    """The revisions of an item, the newest first; the last one is its creation. All, or a page of those before one."""
    rows = await tx.rows(Q.revisions, item_id=item_id, before=before, limit=None if limit is None else limit + 1)
    steps = [
        _revision(after, kind(former["said"], after["said"]), differences(former["said"], after["said"]))
        for after, former in pairwise(rows)
    ]
    if rows and (limit is None or len(rows) <= limit):
        steps.append(_revision(rows[-1], Kind.CREATED, ()))
    return steps


async def changes(
    tx: Transaction, scope: Scope, *, after: Mark | None = None, limit: int = 50
) -> tuple[list[Change], Mark | None]:
    """What changed in a project, the newest first, and where to go on; None when there is no more."""
    mark, size = after or END, max(1, min(limit, MOST))
    rows = await tx.rows(
        Q.recent, project=scope.project_id, at=mark.at, item_id=mark.item_id, revision=mark.revision, limit=size + 1
    )
    found = [_change(row) for row in rows[:size]]
    return found, Mark(found[-1].at, found[-1].item_id, found[-1].revision) if len(rows) > size else None


def _revision(row: dict[str, Any], made: Kind, different: tuple[Difference, ...]) -> Revision:
    return Revision(revision=row["revision"], at=row["at"], run_id=row["run_id"], kind=made, differences=different)


def _change(row: dict[str, Any]) -> Change:
    before, after = row.pop("before"), row.pop("after")
    if before is None:
        return Change(**row, kind=Kind.CREATED, differences=())
    return Change(**row, kind=kind(before, after), differences=differences(before, after))
