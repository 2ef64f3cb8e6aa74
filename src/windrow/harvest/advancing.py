"""The directive cursor: how far the catalog has been persisted and verified (MW-50). It moves behind the harvest's own."""

from dataclasses import dataclass
from typing import Any

from windrow import kv
from windrow.contracts.identity import canonical, content_hash
from windrow.contracts.keys import Key
from windrow.harvest.run import Run
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction

_SEMANTICS = kv.Semantics(kv.Purpose.CURSOR, "meta-worker", ("orchestrator", "operator"))


@dataclass(frozen=True, slots=True)
class Advanced:
    """From where to where, as fingerprints; the same if the run brought nothing new."""

    before: str | None
    after: str
    processed: int


def directive_key(lane: Lane) -> Key:
    """Of the lane's endpoint."""
    return Key.of(lane.scope, "directive", lane.endpoint_id, lane.name, "cursor")


async def advance(tx: Transaction, lane: Lane, run: Run, cursor: str, *, directive: str, spec_ref: str) -> Advanced:
    """Move it to where the harvest's cursor stands, once the run is accounted for. Conflict if somebody else moved it.

    Without new data the cursor is not touched (OR-25).
    """
    key = directive_key(lane)
    seen = await kv.get(tx, key)
    before: dict[str, Any] = seen.value if seen else {}
    if before.get("run_id") == run.run_id:  # asked again: the answer to the first time was lost
        return Advanced(before["source_pointer"], before["source_pointer"], int(before["processed_count"]))
    processed = int(before.get("processed_count", 0)) + run.published
    if before.get("source_pointer") == cursor and not run.published:
        return Advanced(cursor, cursor, processed)
    value = {"source_pointer": cursor, "processed_count": processed, "run_id": run.run_id}
    outcome = await kv.put(
        tx,
        key,
        value | {"checksum": content_hash(canonical(value))},
        expected_version=seen.version if seen else 0,
        request_id=f"{run.run_id}/advance",
        semantics=_SEMANTICS,
        writer=kv.Writer("meta-worker", directive),
        spec_ref=spec_ref,
    )
    if isinstance(outcome, kv.Stale):
        raise outcome.conflict(key)
    return Advanced(before.get("source_pointer"), cursor, processed)
