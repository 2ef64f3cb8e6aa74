"""What leases say."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event("lease.acquired", Level.INFO, "A slot was taken.", ("key", "slot", "epoch", "holder")),
    Event("lease.denied", Level.DEBUG, "No slot was free.", ("key", "holder", "held_by")),
    Event("lease.released", Level.DEBUG, "A slot was given back.", ("key", "slot", "epoch", "holder")),
    Event(
        "lease.lost",
        Level.WARN,
        "A holder found that its lease no longer holds: expired, superseded, or not renewed in time.",
        ("key", "slot", "epoch", "holder", "reason"),
    ),
)

ACQUIRED = Counter("leases_acquired_total", "Slots taken.")
DENIED = Counter("leases_denied_total", "Requests for a slot that found none free.")
LOST = Counter("leases_lost_total", "Leases found lost by their holders, by reason.", labels=("reason",))
