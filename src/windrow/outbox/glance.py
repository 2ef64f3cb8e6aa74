"""The outbox at a glance: which lanes are stopped, which wait and since when. Bounded, so that a page can ask for it often."""

from dataclasses import dataclass
from datetime import datetime

from windrow.postgres import Transaction, load

Q = load(__package__, "glance.sql")

# the batches of a lane are counted up to here
MOST_BATCHES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneGlance:
    """A lane that is stopped or has batches waiting; where it is stopped, the batch that it is stopped on."""

    endpoint_id: str
    lane: str
    pending: int
    oldest_at: datetime | None
    stopped_at: datetime | None
    stopped_seq: int | None
    stopped_code: str | None
    stopped_why: str | None
    stopped_run: str | None
    stopped_items: int | None


@dataclass(frozen=True, slots=True)
class OutboxGlance:
    """Lanes, those that are stopped first and then those that wait longest; of very many, some. And how many there are."""

    lanes: tuple[LaneGlance, ...]
    stopped: int
    waiting: int
    quiet: int


async def glance(tx: Transaction, project: str, *, limit: int = 50) -> OutboxGlance:
    """How the lanes of a project fare."""
    rows = await tx.rows(Q.lanes, project=project, most=MOST_BATCHES, limit=limit)
    lanes = tuple(
        LaneGlance(**{name: row[name] for name in LaneGlance.__slots__}) for row in rows if row["endpoint_id"]
    )
    return OutboxGlance(lanes, rows[0]["stopped"], rows[0]["waiting"], rows[0]["quiet"])
