"""An operator moves a cursor: by compare-and-set, with a spec reference and a reason, audited.

Whoever harvests meanwhile meets a Conflict with his next page and reads anew; a listing under way is over.
"""

import uuid
from typing import Any

from windrow import kv
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.page import Cursor
from windrow.contracts.scope import Actor
from windrow.harvest.cursors import Cursors
from windrow.harvest.guards import written_cursor
from windrow.postgres import Transaction, audit
from windrow.telemetry import emit


async def override(
    tx: Transaction, cursors: Cursors, cursor: Cursor, *, spec_ref: str, reason: str, actor: Actor, expected: int | None
) -> int:
    """Put the cursor there; its version now. `expected` is the version that the operator has seen, if he says it."""
    written_cursor(cursor)
    before = await kv.get(tx, cursors.key)
    seen = before.version if before else 0
    if expected is not None and expected != seen:
        raise kv.Stale(seen, None).conflict(cursors.key)
    value: dict[str, Any] = {"cursor_token": cursor, "batch_id": None, "item_count": 0, "spec_ref": spec_ref}
    outcome = await kv.put(
        tx,
        cursors.key,
        value,
        expected_version=seen,
        request_id=uuid.uuid4().hex,
        semantics=cursors.semantics,
        writer=kv.Writer("meta-api", "cursor"),
        spec_ref=spec_ref,
        actor=actor,
    )
    if isinstance(outcome, kv.Stale):
        raise outcome.conflict(cursors.key)
    await audit.record(
        tx,
        actor,
        "cursor.override",
        f"lane/{cursors.lane}",
        before=before.value if before else None,
        after=value,
        project_id=cursors.lane.scope.project_id,
        reason=reason,
        spec_ref=spec_ref,
    )
    endpoint, actor_name = cursors.lane.endpoint_id, actor.name
    tx.after_commit(
        lambda: emit(
            "cursor.advance_requested", endpoint_id=endpoint, reason=reason, spec_ref=spec_ref, actor=actor_name
        )
    )
    return outcome.version


async def shown(tx: Transaction, cursors: Cursors) -> dict[str, Any]:
    """A cursor as people may see it: fingerprints, never tokens."""
    fingerprints = await kv.Fingerprints.load(tx, cursors.lane.scope.tenant_id)
    found = await kv.get(tx, cursors.key)
    if found is None:
        raise ValidationFailure(
            f"{cursors.lane} has no cursor: it was never read",
            code=Code.NOT_FOUND,
            hint=f"`windrow sync {cursors.lane.endpoint_id}` reads it",
        )
    partial = await kv.get(tx, cursors.partial_key)
    return {
        "lane": str(cursors.lane),
        "cursor": fingerprints.of(found.value["cursor_token"]),
        "version": found.version,
        "batch_id": found.value["batch_id"],
        "item_count": found.value["item_count"],
        "spec_ref": found.value["spec_ref"],
        "last_writer": found.last_writer,
        "updated_at": found.updated_at,
        "partial": partial.value if partial else None,
    }


async def left_by(tx: Transaction, cursors: Cursors, run_id: str) -> dict[str, Any] | None:
    """How far a run came that met trouble, and which; None if it met none, or another run has met some since."""
    found = await kv.get(tx, cursors.partial_key)
    return dict(found.value) if found and found.value.get("run_id") == run_id else None
