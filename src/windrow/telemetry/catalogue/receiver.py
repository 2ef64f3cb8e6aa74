"""What the metadata worker's HTTP surface says beside what is said of the jobs."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event(
        "letter.failed",
        Level.ERROR,
        "An event or message could not be dealt with for a reason of ours that nobody has foreseen.",
        ("error_class", "code", "error"),
    ),
)
