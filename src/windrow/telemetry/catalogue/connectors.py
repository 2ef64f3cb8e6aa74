"""What connectors say."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level, Span

EVENTS = (
    Event(
        "connector.skipped",
        Level.WARN,
        "Something in the source was passed over because it cannot be read; the rest goes on.",
        ("position", "reason"),
    ),
    Event(
        "connector.restarted",
        Level.WARN,
        "A source does not know its own cursor any more; that list is read again from its beginning, and nothing is lost.",
        ("position", "reason"),
    ),
    Event(
        "connector.moved",
        Level.INFO,
        "Something in the source answers at another address than the one that was asked: it was renamed or moved.",
        ("position", "to"),
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
