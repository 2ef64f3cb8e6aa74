"""What the embedded engines' supervisor says."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level

EVENTS = (
    Event("engine.started", Level.INFO, "An engine answers.", ("engine", "version", "pid", "seconds")),
    Event(
        "engine.waited_for",
        Level.WARN,
        "An engine runs but does not answer yet; after a crash it may be repairing its data.",
        ("engine", "seconds", "reason"),
    ),
    Event(
        "engine.restarted",
        Level.WARN,
        "An engine ended by itself and is started again.",
        ("engine", "code", "reason", "retry_attempt", "retry_in_seconds"),
    ),
    Event(
        "engine.given_up",
        Level.ERROR,
        "An engine ended too often, or for a reason that only a person can mend.",
        ("engine", "failures", "code", "reason"),
    ),
    Event("engine.sickened", Level.WARN, "An engine runs but no longer answers as it should.", ("engine", "reason")),
    Event("engine.recovered", Level.INFO, "An engine answers again.", ("engine",)),
    Event("engine.stopped", Level.INFO, "An engine was stopped by us.", ("engine", "exit_code")),
    Event(
        "engine.left_over",
        Level.WARN,
        "Processes of an earlier run still hold an engine's data, and are ended first.",
        ("engine", "pids"),
    ),
    Event(
        "engine.forgotten",
        Level.INFO,
        "The pid file of an earlier run named a process that is something else by now, and was removed.",
        ("engine", "pid"),
    ),
    Event("engine_user.created", Level.INFO, "Root made the account that the engines run as.", ("user",)),
    Event(
        "engine_user.missing",
        Level.WARN,
        "The account for the engines could be neither found nor made; they run as another.",
        ("user", "using"),
    ),
    Event("engine_data.created", Level.INFO, "An empty database was made.", ("engine", "directory")),
    Event(
        "engine_data.placed",
        Level.WARN,
        "The engines' user cannot reach the home, so their data is kept elsewhere.",
        ("home", "directory", "user"),
    ),
    Event(
        "engine_programs.copied",
        Level.INFO,
        "The engines' user cannot reach the virtual environment, so the programs were copied.",
        ("directory", "user"),
    ),
)

ENGINE_UP = Gauge("stack_engine_up", "1 while the embedded engine answers, 0 otherwise.", labels=("engine",))
ENGINE_RESTARTS = Counter(
    "stack_engine_restarts_total",
    "How often an embedded engine ended by itself and was started again.",
    labels=("engine",),
)
ENGINE_START_SECONDS = Histogram(
    "stack_engine_start_seconds", "From the decision to launch an engine until it answers.", labels=("engine",)
)
