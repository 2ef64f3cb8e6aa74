"""The batches of a run, to look at: without what they carry."""

from dataclasses import dataclass
from datetime import datetime

from windrow.postgres import Transaction, load

Q = load(__package__, "reading.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchGlance:
    """A batch on its way into the catalog; what became of its items is known once it was settled."""

    seq: int
    batch_id: str
    status: str
    items: int
    relations: int
    tombstones: int
    bytes: int
    fetched_at: datetime
    created_at: datetime
    settled_at: datetime | None
    created: int | None
    updated: int | None
    deleted: int | None
    unchanged: int | None
    outdated: int | None


async def batches(tx: Transaction, run_id: str, *, after: int = 0, limit: int) -> list[BatchGlance]:
    """In their order, behind a number."""
    return await tx.into(BatchGlance, Q.batches, run_id=run_id, after=after, limit=limit)


async def latest(tx: Transaction, run_id: str, *, limit: int) -> list[BatchGlance]:
    """The last ones, the last one first."""
    return await tx.into(BatchGlance, Q.latest, run_id=run_id, limit=limit)
