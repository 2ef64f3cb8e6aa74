"""What is said about objects."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level, Span

EVENTS = (
    Event("objects.swept", Level.INFO, "Unfinished files of processes that died were removed.", ("files",)),
    Event(
        "store.joined",
        Level.INFO,
        "From now on the database belongs to this object store, and no process with another one is let in.",
        ("store_id", "place"),
    ),
)

SPANS = (Span("objects.request", "An object is asked for, written or removed.", ("store", "verb", "key")),)

REQUESTS = Counter(
    "object_requests_total",
    "Calls to the object store, by its kind, the verb, and `ok` or the class of the error.",
    labels=("store", "verb", "outcome"),
)
SECONDS = Histogram(
    "object_request_seconds",
    "How long a call to the object store takes, by its kind and the verb; of a stream, how long it takes to open.",
    labels=("store", "verb"),
    unit="s",
)
BYTES = Counter(
    "object_bytes_total", "Bytes written (`in`) and read (`out`), by the kind of store.", labels=("store", "direction")
)
