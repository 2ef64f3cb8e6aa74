"""What the HTTP application says: requests and their answers, who was refused, where it listens."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event("server.started", Level.INFO, "The HTTP application listens.", ("url",)),
    Event("server.stopped", Level.INFO, "The HTTP application listens no more.", ("url", "cut")),
    Event(
        "request.answered",
        Level.INFO,
        "A request was answered. Probes that found all well are not told.",
        ("method", "route", "status", "ms"),
        ("code", "subject"),
    ),
    Event(
        "request.failed",
        Level.ERROR,
        "A request failed for a reason of ours.",
        ("method", "route", "error_class", "code", "error"),
    ),
    Event(
        "request.abandoned",
        Level.INFO,
        "The client went away before it was answered, or before it had sent all.",
        ("method", "route", "ms"),
    ),
    Event(
        "access.refused",
        Level.WARN,
        "Somebody was not let in: no token, a wrong one, a missing role, a signed URL that is not good for this.",
        ("method", "route", "status", "reason"),
        ("subject",),
    ),
    Event("secret.made", Level.INFO, "A token or signing key for this machine was made and kept.", ("file",)),
)

SPANS = (Span("console.request", "One request to the HTTP application.", ("method", "route", "status")),)

REQUESTS = Counter(
    "http_server_requests_total",
    "Requests by the route's template, the method and the status; 499: the client went away.",
    labels=("route", "method", "status"),
)
SECONDS = Histogram(
    "http_server_request_seconds",
    "How long requests took until their answer was sent, by the route's template and the method.",
    labels=("route", "method"),
    unit="s",
)
HELD_BACK = Counter(
    "api_calls_held_back_total", "Calls of the API that were refused since their tenant called too often."
)
CONNECTIONS = Gauge("http_server_connections", "Connections that clients have open.")
CUT = Counter(
    "http_server_connections_cut_total",
    "Connections ended by us: `slow` sent no head in time, `stuck` did not read, `crowded` were too many, `malformed` spoke no HTTP, `shutdown`.",
    labels=("reason",),
)
