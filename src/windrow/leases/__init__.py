"""Leases: one or several slots of a key, held for a time by the database's clock, fenced by an epoch that only rises."""

from windrow.leases.hold import held
from windrow.leases.lease import Held, Lease, Lost, Reason
from windrow.leases.store import LONGEST, MOST_SLOTS, acquire, check, live, release, renew

__all__ = [
    "LONGEST",
    "MOST_SLOTS",
    "Held",
    "Lease",
    "Lost",
    "Reason",
    "acquire",
    "check",
    "held",
    "live",
    "release",
    "renew",
]
