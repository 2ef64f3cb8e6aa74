"""What the job runtime says."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event("worker.started", Level.INFO, "A job worker takes jobs.", ("worker", "kinds", "concurrency")),
    Event("worker.draining", Level.INFO, "A job worker takes no more jobs and ends those in hand.", ("worker", "jobs")),
    Event("worker.stopped", Level.INFO, "A job worker has ended.", ("worker", "aborted")),
    Event(
        "worker.stalled",
        Level.WARN,
        "A job worker's loop failed and goes on after a pause.",
        ("worker", "loop", "error_class", "code", "retry_in_seconds", "error"),
    ),
    Event(
        "worker.paused",
        Level.WARN,
        "So much waits, and the machine is so busy, that no job is taken for a while.",
        ("worker", "queued", "load", "seconds"),
    ),
    Event(
        "heartbeat.degraded",
        Level.WARN,
        "Heartbeats failed several times in a row; if that goes on, the jobs in hand are stopped before their leases end.",
        ("worker", "code", "failures", "jobs", "error_class", "error"),
    ),
    Event("job.started", Level.DEBUG, "A worker begins a job.", ("job_id", "kind", "attempt", "epoch", "worker")),
    Event("job.done", Level.DEBUG, "A job ended well.", ("job_id", "kind", "attempt", "epoch", "seconds")),
    Event(
        "job.retried",
        Level.WARN,
        "An execution failed and the job will be tried again.",
        ("job_id", "kind", "attempt", "epoch", "error_class", "code", "retry_in_seconds", "error"),
    ),
    Event(
        "job.failed",
        Level.ERROR,
        "A job is given up.",
        ("job_id", "kind", "attempt", "epoch", "error_class", "code", "failure_code", "error"),
    ),
    Event(
        "job.cancelled", Level.INFO, "A job was stopped because somebody asked.", ("job_id", "kind", "attempt", "epoch")
    ),
    Event(
        "job.handed_back",
        Level.INFO,
        "A job was given back at a safe point by a worker that shuts down.",
        ("job_id", "kind", "attempt", "epoch"),
    ),
    Event(
        "job.aborted",
        Level.WARN,
        "A job was cut off by a shutdown; its lease has to run out.",
        ("job_id", "kind", "attempt", "epoch"),
    ),
    Event(
        "job.lost",
        Level.WARN,
        "A worker found that a job is not its own any more, stopped, and changed nothing.",
        ("job_id", "kind", "attempt", "epoch", "reason"),
    ),
    Event(
        "job.recovered",
        Level.WARN,
        "A job whose worker is not heard of any more was requeued, or given up.",
        ("job_id", "kind", "attempt", "status", "lost_worker"),
    ),
    Event("job.skipped", Level.INFO, "A job that was to be started by its id was not.", ("job_id", "reason")),
    Event("scratch.kept", Level.WARN, "What a failed execution left on disk is kept.", ("job_id", "path", "bytes")),
    Event("scratch.cleaned", Level.INFO, "What failed executions left long ago was removed.", ("directories", "bytes")),
    Event(
        "job.kept",
        Level.WARN,
        "What a job of long ago has left outside of the database could not be removed, so the job stays until it can.",
        ("job_id", "kind", "error_class", "code", "error"),
    ),
    Event("jobs.pruned", Level.INFO, "Jobs that ended long ago were removed.", ("jobs",)),
)

SPANS = (Span("job.run", "One execution of a job.", ("job_id", "kind", "attempt", "epoch", "outcome")),)

ENQUEUED = Counter("jobs_enqueued_total", "Jobs that were enqueued, by kind.", labels=("kind",))
ENDED = Counter("jobs_ended_total", "Executions that ended, by kind and outcome.", labels=("kind", "outcome"))
SECONDS = Histogram(
    "jobs_run_seconds", "How long executions took, by kind and outcome.", labels=("kind", "outcome"), unit="s"
)
INFLIGHT = Gauge("worker_inflight_jobs", "Jobs that this worker has in hand.")
PAUSES = Counter("worker_pauses_total", "Pauses of a worker because of load and backlog.")
HEARTBEATS = Counter("worker_heartbeats_total", "Heartbeats of jobs in hand, by outcome.", labels=("outcome",))
RECOVERED = Counter(
    "worker_recovered_jobs_total",
    "Jobs recovered from workers that are gone, by what became of them.",
    labels=("reason",),
)
DUPLICATE_SKIPS = Counter("worker_duplicate_skips_total", "Starts by id of a job that another worker has in hand.")
ACQUIRE_FAILS = Counter("worker_atomic_acquire_fail_total", "Starts that matched no row: somebody else was first.")
