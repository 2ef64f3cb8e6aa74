"""What the keeping of runs' log lines says about itself."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event(
        "run_log.stalled",
        Level.WARN,
        "Log lines of runs wait for the database; they are kept in memory within a bound.",
        ("error_class", "code", "reason", "retry_in_seconds"),
    ),
    Event(
        "run_log.dropped",
        Level.WARN,
        "Log lines of runs could not be kept with their runs; they were written where all lines are.",
        ("lines", "reason"),
    ),
    Event("run_log.purged", Level.INFO, "Logs of runs were removed after their retention.", ("runs",)),
)

LINES = Counter(
    "run_log_lines_total",
    "Log lines of runs, by what became of them: written to the database, or dropped.",
    labels=("result",),
)
