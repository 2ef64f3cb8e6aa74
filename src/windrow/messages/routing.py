"""The router: gives committed messages their positions, and says which subscriptions have something to deliver.

A number from a sequence is taken before its transaction commits, so a reader that goes by such numbers skips whatever
commits late. The router is the only one that gives positions, after the commit and under the topic's lock: positions
become visible in their own order, and nothing appears below one that was seen.
"""

from dataclasses import dataclass

from windrow.contracts.errors import WindrowError
from windrow.postgres import Database, Transaction, load
from windrow.telemetry.catalogue import messages

Q = load(__package__, "routing.sql")

PUBLISHED_CHANNEL = "windrow_messages"
ROUTED_CHANNEL = "windrow_deliveries"


@dataclass(frozen=True, slots=True)
class Routed:
    """What a pass has done: lines that got their position, strands that were found drained."""

    lines: int = 0
    retired: int = 0

    def __add__(self, other: "Routed") -> "Routed":
        return Routed(self.lines + other.lines, self.retired + other.retired)

    def __bool__(self) -> bool:
        return self.lines + self.retired > 0


async def route(database: Database, *, batch: int = 1000) -> Routed:
    """One pass: every topic of every tenant that has something to route gets one batch, so that none waits for another."""
    done, failed = Routed(), None
    async with database.system() as tx:
        waiting = await tx.rows(Q.unrouted)
    for row in waiting:
        try:
            async with database.tenant(row["tenant_id"]) as tx:
                done += await _route_topic(tx, row["topic"], batch)
        except WindrowError as error:
            failed = failed or error  # the trouble of one topic is not the others'
    if failed:
        raise failed
    return done


async def _route_topic(tx: Transaction, topic: str, batch: int) -> Routed:
    taken = await tx.value(Q.take_topic, topic=topic) or await tx.execute(Q.add_topic, topic=topic)
    if not taken:
        return Routed()  # another router is at it
    placed = await tx.row(Q.place, topic=topic, limit=batch)
    assert placed, "an aggregate always answers"
    if placed["messages"]:
        tx.after_commit(lambda: messages.PUBLISHED.add(placed["messages"], topic=topic))
    return Routed(placed["lines"], await tx.execute(Q.retire, topic=topic, limit=batch))
