"""What a lease is, and what is answered when there is none."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from windrow.contracts.errors import Code, Conflict
from windrow.contracts.keys import Key


@dataclass(frozen=True, slots=True)
class Lease:
    """A slot of a key, ours until `expires_at` by the database's clock. The epoch tells it from all that were before."""

    key: Key
    slot: int
    epoch: int
    holder: str
    ttl: timedelta
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """No slot is free: who holds the one that ends first, and when. Both unknown while it is only being taken."""

    by: str | None
    until: datetime | None

    def conflict(self, key: Key) -> Conflict:
        """For a caller that cannot go on without."""
        until = f" until {self.until.isoformat(timespec='seconds')}" if self.until else ""
        return Conflict(
            f"{key} is held by {self.by or 'another'}{until}", code=Code.CONTENTION, hint="try again when it is free"
        )


class Reason(StrEnum):
    """Why a lease no longer holds."""

    EXPIRED = "expired"  # its time ran out, whether or not another took it
    SUPERSEDED = "superseded"  # the slot was acquired again, under a later epoch
    RELEASED = "released"  # its holder gave it back
    UNREACHABLE = "unreachable"  # it could not be renewed in time; the database may still think that it holds


@dataclass(frozen=True, slots=True)
class Lost:
    """The lease no longer holds."""

    reason: Reason

    def conflict(self, lease: Lease) -> Conflict:
        """For whoever needed it: stop, and touch nothing more."""
        return Conflict(
            f"the lease on {lease.key} (epoch {lease.epoch}) is lost: {self.reason}",
            code=Code.LEASE_LOST,
            hint="stop this work; whoever holds the lease now does it",
        )
