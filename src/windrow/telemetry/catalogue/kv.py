"""What the key-value store says."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event("kv.written", Level.INFO, "A value was written.", ("key", "purpose", "request_id", "version")),
    Event("kv.deleted", Level.INFO, "An entry was deleted.", ("key", "purpose", "request_id", "version")),
    Event(
        "kv.replayed",
        Level.INFO,
        "A request that had already been answered came again; nothing was written.",
        ("key", "purpose", "request_id", "version"),
    ),
    Event(
        "kv.conflicted",
        Level.WARN,
        "A write expected another version than the one that is there (0: nothing is).",
        ("key", "purpose", "request_id", "version", "expected_version"),
    ),
    Event(
        "kv.expired",
        Level.INFO,
        "An entry ran out of time.",
        ("key", "version", "purpose", "producer", "consumer_hints", "ttl_seconds", "expired_at"),
    ),
)

WRITES = Counter(
    "kv_writes_total", "Writes that made a version, by purpose and action (put, delete).", labels=("purpose", "action")
)
REPLAYS = Counter("kv_replays_total", "Requests that had been answered before, by purpose.", labels=("purpose",))
CONFLICTS = Counter("kv_conflicts_total", "Writes that met another version, by purpose.", labels=("purpose",))
EXPIRATIONS = Counter("kv_expirations_total", "Entries that ran out of time, by purpose.", labels=("purpose",))
