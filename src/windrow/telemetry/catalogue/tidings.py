"""What is said of tidings: a source's own word that something of it has changed."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level

EVENTS = (
    Event(
        "tiding.heard",
        Level.INFO,
        "A source has told that something of it changed.",
        ("endpoint_id", "delivery_id", "references"),
    ),
    Event("tiding.refused", Level.WARN, "A delivery was not signed as it should be.", ("endpoint_id", "reason")),
    Event("tidings.looked_up", Level.INFO, "What sources have told of was asked for.", ("endpoint_id", "tidings")),
    Event(
        "tidings.postponed",
        Level.WARN,
        "What a source has told of could not be asked for; it is tried again later.",
        ("endpoint_id", "error_class", "code", "retry_in_seconds"),
    ),
)

SPANS = ()

HEARD = Counter("tidings_heard_total", "Deliveries, by what became of them.", labels=("directive", "outcome"))
LOOKED_UP = Counter("tidings_looked_up_total", "Tidings that were looked up.", labels=("directive",))
LOOK_UP_SECONDS = Histogram(
    "tidings_look_up_seconds", "How long it took to ask for a page of tidings.", labels=("directive",)
)
