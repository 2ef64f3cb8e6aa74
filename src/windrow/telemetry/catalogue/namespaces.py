"""What is said about Temporal's namespaces."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event(
        "namespace.created", Level.INFO, "A namespace that the specs declare was created.", ("namespace", "retention")
    ),
    Event(
        "namespace.mended",
        Level.INFO,
        "A namespace had drifted from the specs and was mended.",
        ("namespace", "fields"),
    ),
)
