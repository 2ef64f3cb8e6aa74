"""The outbox becomes the catalog: several batches of one lane in one transaction, in order, each of them once.

lock a lane that has pending batches      one subscriber a lane at a time; others take other lanes
its lowest batches, within a budget
the endpoint, with others                 alone, if one of the batches completes a listing
items, relations, history                 what is unchanged writes nothing
a listing that is whole now               what it lacks is gone
the change feed
mark the batches as processed             each must still be pending
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windrow import messages
from windrow.catalog import listing
from windrow.catalog.listing import Place
from windrow.contracts.errors import WindrowError, classify
from windrow.outbox import claim
from windrow.outbox import lane as lanes
from windrow.outbox.batch import Batch, unpacked
from windrow.outbox.claim import Settled
from windrow.outbox.lane import Lane
from windrow.postgres import Database, Transaction, load
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import harvest as told

Q = load(__package__, "persist.sql")

CHANGES = "catalog.changes"
_IDS_A_MESSAGE = 10_000


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one transaction takes at the most."""

    batches: int = 20
    bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Persisted:
    """What one transaction did."""

    lane: Lane
    batches: int
    settled: tuple[Settled, ...]


class Unpersistable(Exception):
    """A batch could not be persisted: which one, and how many were tried with it."""

    def __init__(self, lane: Lane, batch: Batch, tried: int, error: WindrowError) -> None:
        super().__init__(error.message)
        self.lane, self.batch, self.tried, self.error = lane, batch, tried, error


async def persist_next(database: Database, *, budget: Budget) -> Persisted | None:
    """Persist the lane that has waited longest; None if there is nothing to do, or others are at it."""
    async with database.system() as tx:
        lane = await claim.next_lane(tx)
        if lane is None:
            return None
        # another may have settled it between our look and our lock: then there is nothing here, but maybe elsewhere
        return await _persist(tx, lane, budget) or Persisted(lane, 0, ())


async def persist_lane(database: Database, lane: Lane, *, budget: Budget) -> Persisted | None:
    """Persist this lane; None if it has nothing, is stopped, or another is at it."""
    async with database.tenant(lane.scope.tenant_id) as tx:
        return await _persist(tx, lane, budget) if await claim.lock_lane(tx, lane) else None


async def _persist(tx: Transaction, lane: Lane, budget: Budget) -> Persisted | None:
    begun = time.perf_counter()
    batches = await claim.pending(tx, lane, most=budget.batches, most_bytes=budget.bytes)
    if not batches:
        return None
    place = Place(lane.scope.project_id, lane.endpoint_id)
    with (
        bound(
            agent="meta-worker",
            tenant_id=lane.scope.tenant_id,
            project_id=lane.scope.project_id,
            endpoint_id=lane.endpoint_id,
            run_id=_run_of(batches),
        ),
        span("batch.persist", lane=str(lane), batches=len(batches)),
    ):
        await _enter(tx, place, batches)
        carried_out = await listing.carried_out_since(tx, place, min(batch.observation for batch in batches))
        oldest = await _oldest_behind_our_back(tx, lane, place)
        settled: list[Settled] = []
        for batch in batches:
            noted = oldest is not None and oldest <= batch.observation
            # nothing of this lane is older than a listing that it completes itself: looked up once is enough
            later = listing.later_listing(carried_out, batch.observation)
            try:
                settled.append(await _apply(tx, lane, place, batch, note_unchanged=noted, later=later))
                if batch.generation is not None:  # its listing may be held from here on
                    oldest = await _oldest_behind_our_back(tx, lane, place)
            except Exception as error:
                raise Unpersistable(lane, batch, len(batches), classify(error)) from error
        await claim.settle(tx, lane, settled)
        done = Persisted(lane, len(batches), tuple(settled))
        tx.after_commit(lambda: _tell(done, batches[-1].connector, time.perf_counter() - begun))
    return done


def _run_of(batches: list[Batch]) -> str | None:
    """The run that they are of, if it is one."""
    runs = {batch.run_id for batch in batches}
    return runs.pop() if len(runs) == 1 else None


async def _enter(tx: Transaction, place: Place, batches: list[Batch]) -> None:
    """Older news and the listing that lacked it, written at once, would not know of each other."""
    if any(batch.generation is not None for batch in batches):
        await listing.enter_alone(tx, place)
    else:
        await listing.enter(tx, place)


async def _oldest_behind_our_back(tx: Transaction, lane: Lane, place: Place) -> int | None:
    """The oldest observation that may still come otherwise than through this lane.

    Against it even an unchanged item must be noted as seen: docs/explanation/protocol.md, "Unchanged is news".
    """
    found = [await lanes.oldest_elsewhere(tx, lane), await listing.oldest_undecided(tx, place, lane.name)]
    return min((one for one in found if one is not None), default=None)


async def _apply(
    tx: Transaction, lane: Lane, place: Place, batch: Batch, *, note_unchanged: bool, later: int | None
) -> Settled:
    row = await tx.row(
        Q.apply,
        **lane.key,
        seq=batch.seq,
        unpacked=await unpacked(tx, lane, batch),
        note_unchanged=note_unchanged,
        later=later,
    )
    assert row, "a batch of a locked lane is there"
    changes: dict[str, list[str]] = {kind: row[kind + "_ids"] for kind in ("created", "updated", "deleted")}
    if batch.generation is not None:
        changes["deleted"] += await _weigh(tx, place, batch.generation)
    await _announce(tx, lane, batch, changes)
    return Settled(
        seq=batch.seq, **{name: row[name] for name in ("created", "updated", "deleted", "unchanged", "outdated")}
    )


async def _weigh(tx: Transaction, place: Place, generation: int) -> list[str]:
    weighed = await listing.weigh(tx, place, generation)
    if weighed is None:
        return []
    if weighed.held:
        hint = f"`windrow listings approve {place.endpoint_id}` or `refuse`"
        said: dict[str, Any] = {"generation": generation, "missing": weighed.held, "known": weighed.known, "hint": hint}
        tx.after_commit(lambda: emit("listing.held", **said))
    else:
        tx.after_commit(
            lambda: emit("listing.applied", generation=generation, gone=len(weighed.gone), known=weighed.known)
        )
    return weighed.gone


async def _announce(tx: Transaction, lane: Lane, batch: Batch, changes: dict[str, list[str]]) -> None:
    await announce(tx, lane, batch.run_id, changes, "batch", str(batch.seq))


async def announce(tx: Transaction, lane: Lane, run_id: str, changes: dict[str, list[str]], *cause: str) -> None:
    """The change feed: what one cause has changed, in order within the endpoint; one message unless it is very much."""
    endpoint = f"{lane.scope.project_id}/{lane.endpoint_id}"
    said = {
        "project_id": lane.scope.project_id,
        "endpoint_id": lane.endpoint_id,
        "lane": lane.name,
        "run_id": run_id,
    }
    drafts = [
        messages.Draft(
            payload=said | part,
            key=endpoint,
            message_id=messages.stable_id(CHANGES, endpoint, lane.name, *cause, *([str(number)] if number else [])),
        )
        for number, part in enumerate(_parts(changes))
    ]
    if drafts:
        await messages.publish_many(tx, CHANGES, drafts)


def _parts(changes: dict[str, list[str]]) -> Iterator[dict[str, list[str]]]:
    """Such as a message can carry: a listing may say of a hundred thousand items that they are gone."""
    if sum(map(len, changes.values())) <= _IDS_A_MESSAGE:
        if any(changes.values()):
            yield changes
        return
    for kind, ids in changes.items():
        for begin in range(0, len(ids), _IDS_A_MESSAGE):
            yield {each: ids[begin : begin + _IDS_A_MESSAGE] if each == kind else [] for each in changes}


def _tell(done: Persisted, directive: str, seconds: float) -> None:
    totals = {
        name: sum(getattr(one, name) for one in done.settled)
        for name in ("created", "updated", "deleted", "unchanged", "outdated")
    }
    wrote = totals["created"] + totals["updated"] + totals["deleted"]
    emit(
        "batch.persisted",
        lane=str(done.lane),
        batches=done.batches,
        seq=done.settled[-1].seq,
        **totals,
        outcome="changed" if wrote else "unchanged",
        seconds=round(seconds, 4),
    )
    for name, amount in totals.items():
        if amount:
            told.PERSISTED.add(amount, directive=directive, result=name)
