"""What the singer connector says."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event(
        "tap.said",
        Level.INFO,
        "A line that a Singer tap wrote on its stderr, redacted; of each run the first 200.",
        ("tap", "line"),
    ),
    Event(
        "tap.repeated",
        Level.INFO,
        "A tap that was to go on gave other records than before, so what it gives is taken from its last STATE again.",
        ("tap", "records"),
    ),
)
