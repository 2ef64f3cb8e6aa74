"""What the outbound HTTP client says: hiccups, limits it was told of, addresses it refused."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level, Span

EVENTS = (
    Event(
        "http.retried",
        Level.WARN,
        "A hiccup within one request (D17): it is sent again at once, as the same attempt.",
        ("source", "host", "code", "retry_attempt", "retry_in_seconds", "reason"),
    ),
    Event(
        "http.limited",
        Level.WARN,
        "A source asks us to slow down; until then nothing is sent to that host.",
        ("source", "host", "retry_after_seconds"),
        ("status",),
    ),
    Event(
        "http.address_refused",
        Level.WARN,
        "A request would have reached an address that is not public and that the operator has not allowed.",
        ("source", "url", "reason"),
    ),
)

SPANS = (
    Span(
        "http.request",
        "One call to a source: its redirects, its hiccups, its body.",
        ("source", "method", "url", "status", "requests", "received_bytes"),
    ),
)

REQUESTS = Counter(
    "http_requests_total",
    "Calls to sources by what came of them: `ok`, an error code, `cancelled` or `abandoned`.",
    labels=("source", "outcome"),
)
HICCUPS = Counter("http_hiccups_total", "Requests sent again at once after a hiccup.", labels=("source", "code"))
SECONDS = Histogram(
    "http_request_seconds",
    "How long calls took, from their first request until the body was read.",
    labels=("source",),
    unit="s",
)
QUEUE_SECONDS = Histogram(
    "http_queue_seconds", "How long requests waited for their turn: pace and slots.", labels=("source",), unit="s"
)
RECEIVED_BYTES = Counter(
    "http_received_bytes_total", "Bytes of bodies, as they came over the wire.", labels=("source",)
)
