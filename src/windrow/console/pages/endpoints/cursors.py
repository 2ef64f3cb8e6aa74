"""How far an endpoint has been read, lane by lane: fingerprints, never tokens (OR-51)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow import kv
from windrow.contracts.scope import Scope
from windrow.harvest.cursors import Cursors
from windrow.kv import Envelope
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction

MOST = 20


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the cursor of a lane is, and what a run that failed left behind."""

    lane: str
    fingerprint: str
    version: int
    updated_at: datetime
    items: int | None
    writer: str
    partial: dict[str, Any] | None


async def marks(tx: Transaction, scope: Scope, endpoint_id: str) -> list[Mark]:
    """Those of the lane `live` first, then the others'; two queries, and a third where there is something to tell."""
    live = Cursors(Lane(scope, endpoint_id), "cursor").key.path
    lanes = f"{live.removesuffix('cursor')}lanes/"
    found = {
        entry.key.path: entry
        for prefix in (live, lanes)
        for entry in (await kv.entries(tx, scope, prefix, limit=MOST)).entries
    }
    cursors = {path: entry for path, entry in found.items() if path == live or path.endswith("/cursor")}
    if not cursors:
        return []
    fingerprints = await kv.Fingerprints.load(tx, scope.tenant_id)
    return [
        _mark(path.removeprefix(lanes).removesuffix("/cursor") if path != live else "live", entry, fingerprints, found)
        for path, entry in cursors.items()
    ]


def _mark(lane: str, entry: Envelope, fingerprints: kv.Fingerprints, found: dict[str, Envelope]) -> Mark:
    partial = found.get(entry.key.child("partial").path)
    return Mark(
        lane=lane,
        fingerprint=fingerprints.of(entry.value.get("cursor_token")),
        version=entry.version,
        updated_at=entry.updated_at,
        items=entry.value.get("item_count"),
        writer=entry.last_writer,
        partial=partial.value if partial else None,
    )
