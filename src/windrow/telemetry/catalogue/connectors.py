"""What connectors say."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level, Span

EVENTS = (
    Event(
        "connector.skipped",
        Level.WARN,
        "Something in the source was passed over because it cannot be read; the rest goes on.",
        ("position", "reason"),
    ),
)

SPANS = (Span("connector.call", "One call of a source.", ("source", "call")),)

CALLS = Counter(
    "connector_calls_total",
    "Calls of sources, by connector and outcome (ok, cancelled, or the error's code).",
    labels=("source", "outcome"),
)
CALL_SECONDS = Histogram(
    "connector_call_seconds", "How long calls of sources take, by connector.", labels=("source",), unit="s"
)
