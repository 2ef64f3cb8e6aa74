"""What is said about writes: every one at INFO, every conflict at WARN, each counted (KV-7, KV-8)."""

from collections.abc import Mapping
from typing import Any

from windrow.kv.outcome import Outcome, Replayed, Stale, Stored
from windrow.kv.write import Write
from windrow.telemetry import emit
from windrow.telemetry.catalogue import kv

UNKNOWN = "unknown"


def answered(write: Write, outcome: Outcome, found_purpose: str | None) -> None:
    """A write got its answer; a deletion has the purpose of what it found."""
    purpose = write.semantics.purpose if write.semantics else found_purpose or UNKNOWN
    about: dict[str, Any] = {
        "tenant_id": write.key.scope.tenant_id,
        "project_id": write.key.scope.project_id,
        "key": str(write.key),
        "purpose": purpose,
        "request_id": write.request_id,
        "version": outcome.version,
    }
    match outcome:
        case Stored():
            action = "put" if write.value else "delete"
            kv.WRITES.add(1, purpose=purpose, action=action)
            emit("kv.written" if write.value else "kv.deleted", **about)
        case Replayed():
            kv.REPLAYS.add(1, purpose=purpose)
            emit("kv.replayed", **about)
        case Stale():
            kv.CONFLICTS.add(1, purpose=purpose)
            emit("kv.conflicted", **about, expected_version=write.expected_version)


def expired(tenant_id: str, lapsed: Mapping[str, Any]) -> None:
    """An entry ran out."""
    kv.EXPIRATIONS.add(1, purpose=lapsed["purpose"])
    emit("kv.expired", tenant_id=tenant_id, project_id=lapsed["key"].split("/")[3], **lapsed)
