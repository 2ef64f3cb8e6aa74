"""The subscriber's side: one lane at a time, its batches in order.

async with database.system() as tx:
    lane = await next_lane(tx)               # locked: nobody else persists this lane meanwhile
    batches = await pending(tx, lane, …)     # as its tenant, from here on
    …
    await settle(tx, lane, …)                # in the same transaction
"""

from dataclasses import dataclass

from windrow.contracts.errors import Code, Conflict
from windrow.contracts.scope import Scope
from windrow.outbox.batch import Batch
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction, load

Q = load(__package__, "claim.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a batch's items."""

    seq: int
    created: int
    updated: int
    deleted: int
    unchanged: int
    outdated: int


async def next_lane(tx: Transaction) -> Lane | None:
    """As the system: the lane that has waited longest, locked; then as its tenant. None if nothing is due or free."""
    row = await tx.row(Q.next_lane)
    if row is None:
        return None
    await tx.become(row["tenant_id"])
    return Lane(Scope(row["tenant_id"], row["project_id"]), row["endpoint_id"], row["lane"])


async def lock_lane(tx: Transaction, lane: Lane) -> bool:
    """As the tenant: this lane, if it flows and nobody else has it."""
    return await tx.row(Q.lock_lane, **lane.key) is not None


async def hold_still(tx: Transaction, scope: Scope, endpoint_id: str) -> list[str]:
    """As the tenant: until this commits, nobody persists anything of the endpoint. The names of its lanes."""
    rows = await tx.rows(Q.hold_still, project=scope.project_id, endpoint=endpoint_id)
    return [row["lane"] for row in rows]


async def pending(tx: Transaction, lane: Lane, *, most: int, most_bytes: int) -> list[Batch]:
    """The lowest pending batches of a locked lane, in order, within the budget; at least one, if there is any."""
    return await tx.into(Batch, Q.pending, **lane.key, most=most, most_bytes=most_bytes)


async def settle(tx: Transaction, lane: Lane, settled: list[Settled]) -> None:
    """Mark batches as processed. Every one of them must have been pending, or nothing of this transaction may stand."""
    marked = await tx.execute(
        Q.settle,
        **lane.key,
        seqs=[one.seq for one in settled],
        created=[one.created for one in settled],
        updated=[one.updated for one in settled],
        deleted=[one.deleted for one in settled],
        unchanged=[one.unchanged for one in settled],
        outdated=[one.outdated for one in settled],
    )
    if marked != len(settled):
        raise Conflict(
            f"{len(settled) - marked} batches of {lane} were settled by somebody else", code=Code.CAS_MISMATCH
        )
    await tx.execute(Q.served, **lane.key)
