"""What is said about leases."""

from typing import Any

from windrow.contracts.errors import WindrowError
from windrow.contracts.keys import Key
from windrow.leases.lease import Lease, Lost
from windrow.telemetry import emit
from windrow.telemetry.catalogue import leases


def acquired(lease: Lease) -> None:
    leases.ACQUIRED.add(1)
    emit("lease.acquired", **_about(lease.key), slot=lease.slot, epoch=lease.epoch, holder=lease.holder)


def denied(key: Key, holder: str, held_by: str | None) -> None:
    leases.DENIED.add(1)
    emit("lease.denied", **_about(key), holder=holder, held_by=held_by or "unknown")


def released(lease: Lease) -> None:
    emit("lease.released", **_about(lease.key), slot=lease.slot, epoch=lease.epoch, holder=lease.holder)


def lost(lease: Lease, found: Lost) -> None:
    leases.LOST.add(1, reason=found.reason)
    emit(
        "lease.lost",
        **_about(lease.key),
        slot=lease.slot,
        epoch=lease.epoch,
        holder=lease.holder,
        reason=found.reason,
    )


def retried(error: WindrowError, failures: int, pause: float) -> None:
    emit(
        "attempt.retried",
        error=error,
        what="renew a lease",
        error_class=error.error_class,
        code=error.code,
        retry_attempt=failures,
        retry_in_seconds=pause,
    )


def _about(key: Key) -> dict[str, Any]:
    return {"tenant_id": key.scope.tenant_id, "project_id": key.scope.project_id, "key": str(key)}
