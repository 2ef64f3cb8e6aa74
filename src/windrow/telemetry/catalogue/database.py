"""What the database door says."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event("database.migrated", Level.INFO, "A migration was applied.", ("number", "name")),
    Event(
        "wakeups.lost",
        Level.WARN,
        "The listening connection was lost; polling goes on until it is back.",
        ("code", "retry_in_seconds"),
    ),
)
