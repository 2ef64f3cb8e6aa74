"""What the orchestration says."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event(
        "sync.started",
        Level.INFO,
        "An endpoint's synchronisation began, by its schedule or by hand.",
        ("endpoint_id", "trigger"),
        optional=("manual_trigger_id",),
    ),
    Event(
        "sync.state_changed",
        Level.INFO,
        "An endpoint's lifecycle went on to another state.",
        ("endpoint_id", "state", "before"),
        optional=("reason", "run_id"),
    ),
    Event(
        "sync.backed_off",
        Level.WARN,
        "A run failed recoverably; the next one is due later.",
        ("endpoint_id", "error_class", "code", "reason", "failures", "next_retry_at"),
    ),
    Event(
        "sync.failed",
        Level.ERROR,
        "Nothing goes on for this endpoint until a person has acted.",
        ("endpoint_id", "error_class", "code", "reason"),
        optional=("hint",),
    ),
    Event(
        "cursor.advance_requested",
        Level.INFO,
        "CursorAdvanceRequested: the cursor was moved by somebody else, or an operator moves it; why.",
        ("endpoint_id", "reason"),
        optional=("run_id", "spec_ref", "actor"),
    ),
    Event(
        "context.acquired",
        Level.INFO,
        "AcquireContext: the spec, the endpoint and whom it belongs to are known.",
        ("lane", "trigger"),
    ),
    Event("cursor.resolved", Level.INFO, "ResolveCursor: where the last run left off.", ("cursor", "version")),
    Event("cursor.conflicted", Level.WARN, "ResolveCursor: the cursor was moved by somebody else.", ("reason",)),
    Event(
        "batches.persisted",
        Level.INFO,
        "Persist: all that the run published is in the catalog.",
        ("created", "updated", "deleted", "unchanged", "outdated"),
    ),
    Event(
        "cursor.advanced",
        Level.INFO,
        "The directive cursor moved, from where to where, by which run.",
        ("before", "after", "processed"),
    ),
    Event(
        "run.finalized", Level.INFO, "Finalize: the run is over.", ("outcome", "published", "quarantined", "seconds")
    ),
    Event(
        "run.failed",
        Level.ERROR,
        "A run ended without having done its work.",
        ("error_class", "code", "reason"),
        optional=("hint",),
    ),
    Event(
        "run.aborted",
        Level.FATAL,
        "A run met what only a person can mend.",
        ("error_class", "code", "reason"),
        optional=("hint",),
    ),
    Event(
        "run.cancelled",
        Level.INFO,
        "A run was cancelled; what was published until then stays.",
        ("outcome", "cursor"),
    ),
    Event(
        "activity.failed",
        Level.WARN,
        "An activity failed; its workflow decides what follows.",
        ("activity", "error_class", "code", "reason", "attempt"),
    ),
    Event(
        "payloads.hashed",
        Level.DEBUG,
        "What an activity was given and returned, by hash: said where WINDROW_LOG_PAYLOAD_HASHES is set.",
        ("activity", "given"),
        optional=("returned",),
    ),
    Event(
        "schedule.changed",
        Level.INFO,
        "A schedule was created, paused, resumed, moved or removed.",
        ("endpoint_id", "action"),
        optional=("schedule", "actor", "reason"),
    ),
    Event(
        "schedules.rebuilt",
        Level.INFO,
        "Temporal's schedules were made to agree with the endpoints.",
        ("created", "updated", "removed"),
    ),
    Event("queues.served", Level.INFO, "A worker polls its queues.", ("queues", "namespaces", "identity")),
    Event("queues.left", Level.INFO, "A worker has finished what it had in hand.", ("identity",)),
)

SPANS = (Span("activity.execute", "One attempt of an activity.", ("activity", "attempt")),)

RUNS = Counter(
    "worker_runs_total",
    "Runs that ended, by connector and outcome (done, failed, cancelled).",
    labels=("directive", "outcome"),
)
RUN_SECONDS = Histogram(
    "worker_run_duration_seconds", "How long a run took, by connector.", labels=("directive",), unit="s"
)
BACKOFFS = Counter(
    "worker_backoffs_total",
    "Runs that failed recoverably and are followed by a wait, by error class.",
    labels=("error_class",),
)
CURSOR_LAG = Gauge(
    "worker_cursor_lag_seconds",
    "How long ago the catalog was last brought up to date and verified, by connector; the worst of its endpoints.",
    labels=("directive",),
)
FAILURES = Counter("worker_failures_total", "Failures of activities, by error class.", labels=("error_class",))
