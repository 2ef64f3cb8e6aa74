"""What any process of ours says: its start and end, its retries, what the libraries it uses say."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event("process.started", Level.INFO, "A process of ours is ready.", ("process",), ("pid", "version")),
    Event(
        "process.stopping",
        Level.INFO,
        "A process was asked to end and finishes what it has in hand.",
        ("process", "reason"),
    ),
    Event("process.stopped", Level.INFO, "A process ended cleanly.", ("process",)),
    Event("process.failed", Level.FATAL, "A process cannot go on.", ("process", "error_class", "code", "error")),
    Event(
        "task.failed",
        Level.ERROR,
        "A background task ended with an error and is started again.",
        ("task", "error_class", "code", "error", "retry_in_seconds"),
    ),
    Event(
        "library.logged",
        Level.INFO,
        "A library's own log line of level INFO or below.",
        ("logger", "message"),
        ("error",),
    ),
    Event(
        "library.warned",
        Level.WARN,
        "A library's own log line of level WARNING or above.",
        ("logger", "message"),
        ("error",),
    ),
    Event(
        "attempt.retried",
        Level.WARN,
        "Something failed and will be tried again.",
        ("error_class", "code", "retry_attempt", "retry_in_seconds", "error"),
        ("what",),
    ),
)

RETRIES = Counter(
    "worker_retry_attempts_total",
    "Attempts made again, by the runtime that made them, the error's class and its code.",
    labels=("runtime", "error_class", "code"),
)
