"""An operator's word about a listing that is held: carried out, or not."""

from windrow.catalog import listing
from windrow.catalog.listing import Listing, Place, Weighed
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.harvest.persist import announce
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction, audit
from windrow.telemetry import emit


async def approve(tx: Transaction, lane: Lane, *, actor: Actor, reason: str | None = None) -> tuple[Listing, Weighed]:
    """What the held listing lacks is gone; what was seen since it began stays. Audited, and told to the change feed."""
    held = await held_listing(tx, lane)
    place = Place(lane.scope.project_id, lane.endpoint_id)
    weighed = await listing.approve(tx, place, held.generation)
    if weighed is None:
        raise _not_held(lane)
    await announce(
        tx,
        lane,
        held.run_id,
        {"created": [], "updated": [], "deleted": weighed.gone},
        "listing",
        str(held.generation),
    )
    await _record(tx, lane, held, "approve", actor, reason, gone=len(weighed.gone))
    return held, weighed


async def refuse(tx: Transaction, lane: Lane, *, actor: Actor, reason: str) -> Listing:
    """Nothing is deleted; the next whole listing is weighed anew."""
    held = await held_listing(tx, lane)
    place = Place(lane.scope.project_id, lane.endpoint_id)
    if not await listing.refuse(tx, place, held.generation, f"refused by {actor.name}: {reason}"):
        raise _not_held(lane)
    await _record(tx, lane, held, "refuse", actor, reason, gone=0)
    return held


async def held_listing(tx: Transaction, lane: Lane) -> Listing:
    """The listing of the lane that waits for a word."""
    found = await listing.listings(tx, Place(lane.scope.project_id, lane.endpoint_id))
    for one in found:
        if one.state == "held" and one.lane == lane.name:
            return one
    raise _not_held(lane)


async def _record(
    tx: Transaction, lane: Lane, held: Listing, decision: str, actor: Actor, reason: str | None, *, gone: int
) -> None:
    details = {"generation": held.generation, "missing": held.missing, "known": held.known, "gone": gone}
    await audit.record(
        tx,
        actor,
        f"listing.{decision}",
        f"endpoint/{lane.endpoint_id}",
        project_id=lane.scope.project_id,
        reason=reason,
        details=details,
    )
    tx.after_commit(lambda: emit("listing.decided", generation=held.generation, decision=decision, actor=actor.name))


def _not_held(lane: Lane) -> ValidationFailure:
    return ValidationFailure(
        f"no listing of {lane} waits for a word",
        code=Code.NOT_FOUND,
        hint=f"`windrow listings list {lane.endpoint_id}` shows how they stand",
    )
