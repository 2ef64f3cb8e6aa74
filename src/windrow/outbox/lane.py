"""Lanes: one ordered flow into the catalog of one endpoint, with its fence.

Whoever begins a slice raises the epoch; each later write of the slice names it. One that names an older epoch is a
zombie's: it stops, touches nothing, and does not try again.
"""

import re
from dataclasses import dataclass

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope, checked_name
from windrow.postgres import Database, Transaction, load

Q = load(__package__, "lane.sql")

LIVE = "live"
EVENTS = "events"
_LANE = re.compile(r"live|events|backfill:[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lane:
    """`live`, `events` or `backfill:<id>` of an endpoint."""

    scope: Scope
    endpoint_id: str
    name: str = LIVE

    def __post_init__(self) -> None:
        checked_name("endpoint", self.endpoint_id)
        if not _LANE.fullmatch(self.name):
            raise ValidationFailure(
                f"{self.name[:80]!r} is no lane", code=Code.INVALID, hint="use live, events or backfill:<id>"
            )

    @property
    def key(self) -> dict[str, str]:
        """As the columns that name it; the tenant is the transaction's."""
        return {"project": self.scope.project_id, "endpoint": self.endpoint_id, "lane": self.name}

    @property
    def above(self) -> list[str]:
        """The lanes that outrank this one: in an overlap of requests theirs count as newer.

        What live did not see, its next run will; what changes behind an event is told by the next one; nobody asks again
        for what a backfill brings.
        """
        return {LIVE: [], EVENTS: [LIVE]}.get(self.name, [LIVE, EVENTS])

    @property
    def below(self) -> list[str]:
        """The lanes that this one outranks, and to which others yield."""
        return [EVENTS] if self.name == LIVE else []

    def __str__(self) -> str:
        return f"{self.endpoint_id}/{self.name}"


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of work on a lane, and the epoch by which it is fenced."""

    lane: Lane
    epoch: int
    run_id: str


@dataclass(frozen=True, slots=True)
class Observation:
    """The number of a request; and what those who ask from then on, through any other lane, have at least."""

    number: int
    horizon: int


class Superseded(Exception):
    """Somebody else has begun a slice of this lane, or has closed it. Not of the family: nobody retries it."""

    def __init__(self, piece: Slice) -> None:
        super().__init__(f"epoch {piece.epoch} of {piece.lane} is over")
        self.piece = piece


async def begin(tx: Transaction, lane: Lane, run_id: str) -> Slice:
    """Take the lane over: those who held it before are zombies from here on."""
    if lane.name in (LIVE, EVENTS):
        await tx.execute(Q.enter, project=lane.scope.project_id, endpoint=lane.endpoint_id)
    # from here on other lanes yield to this one, and it yields to those above it: by the same rule as each of its requests
    floor = await _observed(tx, lane)
    epoch: int = await tx.value(Q.begin, **lane.key, run_id=run_id, floor=floor.number)
    await tx.execute(Q.open_for_subscribers, **lane.key)
    return Slice(lane, epoch, run_id)


async def observe(database: Database, lane: Lane) -> Observation:
    """A number for a request that is about to be sent: higher means newer.

    Asked later is newer, but for requests that overlap: there the lane that is outranked counts as older.
    """
    return await _observed(database, lane)


async def _observed(where: Database | Transaction, lane: Lane) -> Observation:
    row = await where.row(Q.observe, tenant=lane.scope.tenant_id, **lane.key, above=lane.above, below=lane.below)
    assert row, "a function always answers"
    return Observation(row["observation"], row["horizon"])


async def hold(tx: Transaction, piece: Slice, observation: int) -> None:
    """The fence: Superseded unless the epoch is still this slice's, and then nobody takes the lane before the commit.

    From the commit on nothing older than the observation comes through this lane.
    """
    if not await tx.execute(Q.hold, **piece.lane.key, epoch=piece.epoch, observation=observation):
        raise Superseded(piece)


async def end(tx: Transaction, piece: Slice, *, floor: int | None = None) -> bool:
    """The slice is over and no request of it is under way; False if it was superseded.

    `floor` is the oldest observation that the next slice will still bring: that of a snapshot which is not read to its end.
    """
    return await tx.execute(Q.end, **piece.lane.key, epoch=piece.epoch, floor=floor) == 1


async def close(tx: Transaction, lane: Lane) -> bool:
    """Nothing more comes through this lane (a backfill that is done); whoever still works on it is a zombie."""
    return await tx.execute(Q.close, **lane.key) == 1


async def forget(tx: Transaction, lane: Lane) -> bool:
    """A lane of one use that is closed and persisted leaves no trace but its batches; False if it is not done yet."""
    return await tx.execute(Q.forget, **lane.key) == 1


async def oldest_elsewhere(tx: Transaction, lane: Lane) -> int | None:
    """The oldest observation that other lanes of the endpoint may still bring; None if there is nothing under way."""
    found: int | None = await tx.value(Q.oldest_elsewhere, **lane.key)
    return found
