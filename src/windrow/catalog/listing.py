"""Listings: one pass over all that an endpoint holds, by which one learns what is gone.

Written page by page with the pages themselves. A listing that is whole is weighed when its last batch is persisted, which
is after all its others: what is not in it, was not seen since it began, and was shown by the same filters before, becomes
a tombstone. Too much at once waits for an operator's word.
"""

from dataclasses import dataclass
from datetime import datetime

from windrow.contracts.identity import TOMBSTONE_HASH
from windrow.postgres import Transaction, load, uuid_array

Q = load(__package__, "listing.sql")

MOST_GONE = 0.25


@dataclass(frozen=True, slots=True)
class Place:
    """Which endpoint's items a listing is about; the tenant is the transaction's."""

    project_id: str
    endpoint_id: str

    @property
    def key(self) -> dict[str, str]:
        return {"project": self.project_id, "endpoint": self.endpoint_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A listing as it stands. `missing` of the `known` items were not in it."""

    generation: int
    lane: str
    run_id: str
    filters: str
    filters_since: int
    horizon: int
    last_seq: int
    state: str
    items: int
    missing: int | None
    known: int | None
    why: str | None
    begun_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Weighed:
    """What came of a whole listing: the items that are gone now, or how many wait for an operator's word."""

    gone: list[str]
    held: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A listing that was carried out and whose pages are kept."""

    generation: int
    filters_since: int
    horizon: int


async def enter(tx: Transaction, place: Place) -> None:
    """Before items of the endpoint are written: until this commits, no listing is carried out elsewhere.

    Nobody who is let in here waits for a lane: taken in this order the two can not lock one another out.
    """
    await tx.execute(Q.enter, **place.key)


async def enter_alone(tx: Transaction, place: Place) -> None:
    """Before a listing is carried out: until this commits, nobody else writes items of the endpoint."""
    await tx.execute(Q.enter_alone, **place.key)


async def open_listing(
    tx: Transaction, place: Place, *, lane: str, run_id: str, filters: str, observation: int, horizon: int
) -> int:
    """Begin one; those of the lane that are not applied yet are over. Its generation.

    Whatever is asked for from its first request on has at least the horizon as its observation, and stands above it.
    """
    await tx.execute(Q.abandon_lane, **place.key, lane=lane, why="a newer listing began")
    await tx.execute(
        Q.open, **place.key, generation=observation, horizon=horizon, lane=lane, run_id=run_id, filters=filters
    )
    return observation


async def under_way(tx: Transaction, place: Place, lane: str, *, cursor_version: int, filters: str) -> int | None:
    """The open listing that goes on from this version of the cursor, read with these filters. Any other is over."""
    found = await tx.row(Q.under_way, **place.key, lane=lane)
    if found is None:
        return None
    generation: int = found["generation"]
    if found["last_seq"] != cursor_version:
        await abandon(tx, place, generation, "the cursor was moved while it was under way")
    elif found["filters"] != filters:
        await abandon(tx, place, generation, "the endpoint's filters were changed while it was under way")
    else:
        return generation
    return None


async def add_page(tx: Transaction, place: Place, generation: int, seq: int, item_ids: list[str]) -> None:
    """These were there."""
    await tx.execute(Q.add_page, **place.key, generation=generation, seq=seq, item_ids=uuid_array(item_ids))
    await tx.execute(Q.reached, **place.key, generation=generation, seq=seq, items=len(item_ids))


async def abandon(tx: Transaction, place: Place, generation: int, why: str) -> None:
    """It says nothing about what is gone."""
    await tx.execute(Q.abandon, **place.key, generation=generation, why=why)
    await tx.execute(Q.forget_pages, **place.key, generation=generation)


async def make_whole(tx: Transaction, place: Place, generation: int) -> None:
    """It left nothing out."""
    await tx.execute(Q.make_whole, **place.key, generation=generation)


async def weigh(tx: Transaction, place: Place, generation: int, *, most: float = MOST_GONE) -> Weighed | None:
    """Carry out what a whole listing says, unless more than the given part of the items would go. None if it is over.

    Whoever calls this has entered alone, before anything of the endpoint was written.
    """
    listing = await _find(tx, place, generation, "whole")
    if listing is None:
        return None
    counts = await tx.row(Q.count, **place.key, generation=generation, since=listing.filters_since)
    assert counts, "a count always answers"
    missing, known = counts["missing"], counts["known"]
    if missing > most * known:
        await tx.execute(Q.hold, **place.key, generation=generation, missing=missing, known=known)
        return Weighed([], held=missing, known=known)
    return await _carry_out(tx, place, listing, known)


async def approve(tx: Transaction, place: Place, generation: int) -> Weighed | None:
    """An operator's word: carry out a held listing; what was seen since it began stays. None if it is not held."""
    await enter_alone(tx, place)
    listing = await _find(tx, place, generation, "held")
    return await _carry_out(tx, place, listing, listing.known or 0) if listing else None


async def refuse(tx: Transaction, place: Place, generation: int, why: str) -> bool:
    """An operator's word: a held listing is not carried out. False if it is not held."""
    if await _find(tx, place, generation, "held") is None:
        return False
    await abandon(tx, place, generation, why)
    return True


async def listings(tx: Transaction, place: Place, *, limit: int = 20) -> list[Listing]:
    """The newest first."""
    return await tx.into(Listing, Q.listed, **place.key, limit=limit)


async def oldest_undecided(tx: Transaction, place: Place, lane: str) -> int | None:
    """From where on an observation withstands every listing that may still delete: of other lanes while they are under way,
    of any lane when held. None if there is no such listing.
    """
    found: int | None = await tx.value(Q.oldest_undecided, **place.key, lane=lane)
    return found


async def carried_out_since(tx: Transaction, place: Place, observation: int) -> list[CarriedOut]:
    """The latest first."""
    return await tx.into(CarriedOut, Q.carried_out_since, **place.key, observation=observation)


def later_listing(found: list[CarriedOut], observation: int) -> int | None:
    """The listing that began after a request and was made with the same filters: what it lacks was gone by then."""
    for one in found:
        if one.filters_since <= observation:
            return one.generation if observation < one.horizon else None
    return None


async def _find(tx: Transaction, place: Place, generation: int, state: str) -> Listing | None:
    found = await tx.into(Listing, Q.find, **place.key, generation=generation, state=state)
    return found[0] if found else None


async def _carry_out(tx: Transaction, place: Place, listing: Listing, known: int) -> Weighed:
    rows = await tx.rows(
        Q.bury,
        **place.key,
        generation=listing.generation,
        horizon=listing.horizon,
        since=listing.filters_since,
        run_id=listing.run_id,
        tombstone=TOMBSTONE_HASH,
    )
    gone = [row["item_id"] for row in rows]
    if gone:
        await tx.execute(Q.unrelate, item_ids=gone)
    await tx.execute(Q.applied, **place.key, generation=listing.generation, missing=len(gone), known=known)
    await tx.execute(Q.forget_before, **place.key, generation=listing.generation, since=listing.filters_since)
    return Weighed(gone, known=known)
