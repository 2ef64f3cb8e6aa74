"""What the metadata worker says: the way of a media job from its event to its end."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

_ABOUT = ("job_id", "request_id", "stage", "media_type", "duration_ms")
_TROUBLE = ("tag", "error_class", "code", "reason")

EVENTS = (
    Event(
        "metadata.worker.received",
        Level.INFO,
        "An event about a media job has come, or the sweep takes one up. What is not known yet is `unknown`.",
        ("job_id", "request_id", "stage", "media_type", "attempt"),
        ("message_id", "generation"),
    ),
    Event(
        "metadata.worker.skipped",
        Level.INFO,
        "There was nothing to do: `stage_mismatch`, `in_hand`, `waiting`, `gone` or `not_queued`.",
        (*_ABOUT, "reason"),
    ),
    Event(
        "metadata.worker.stage_mismatch",
        Level.INFO,
        "The job has left the stage that the event is about; `stage` is where it stands.",
        (*_ABOUT, "expected"),
    ),
    Event(
        "metadata.worker.enriched",
        Level.INFO,
        "The provider has told what it knows of a medium; nothing is written yet.",
        (*_ABOUT, "provider", "enrichment_ms"),
    ),
    Event(
        "metadata.worker.persist_success",
        Level.INFO,
        "A job's new stage is committed, with its snapshot.",
        (*_ABOUT, "metadata_version", "number"),
    ),
    Event(
        "metadata.worker.publish_success",
        Level.INFO,
        "The messages of a job's new stage are committed with it; the relay delivers them.",
        (*_ABOUT, "number"),
    ),
    Event(
        "metadata.worker.failed",
        Level.ERROR,
        "A job, or a message that is none, is given up: it is in the dead letter topic.",
        (*_ABOUT, *_TROUBLE),
        ("excerpt", "message_id"),
    ),
    Event(
        "metadata.worker.failure",
        Level.WARN,
        "Something went wrong with a job. `retry_in_seconds` is when the sweep takes it up again, where that could be written.",
        (*_ABOUT, *_TROUBLE, "retryable"),
        ("retry_in_seconds", "attempts"),
    ),
    Event(
        "media.moved",
        Level.INFO,
        "A media job went on by itself or by somebody's word: handed over, ended, cancelled, queued again.",
        ("job_id", "request_id", "from_stage", "to_stage"),
        ("code", "reason", "runtime_job_id"),
    ),
    Event(
        "media.delayed",
        Level.WARN,
        "An enriched job could not be handed over to the job runtime, and is looked at again later.",
        ("job_id", "error_class", "code", "error", "retry_in_seconds"),
    ),
    Event(
        "media.stalled",
        Level.WARN,
        "A loop over the media jobs (`mirror`, `sweep`, `conductor`) failed and goes on after a pause.",
        ("part", "error_class", "code", "error", "retry_in_seconds"),
    ),
    Event(
        "media.swept", Level.INFO, "Jobs that waited for their event, or to be tried again, were taken up.", ("jobs",)
    ),
    Event(
        "media.mirror_failed",
        Level.WARN,
        "The objects of a job could not be written or removed; they will be, from the row.",
        ("job_id", "error_class", "code", "error"),
    ),
    Event(
        "media.kept",
        Level.WARN,
        "The objects of a job of long ago could not be removed, so the job stays until they can.",
        ("job_id", "error_class", "code", "error"),
    ),
    Event("media.pruned", Level.INFO, "Media jobs that ended long ago were removed.", ("jobs",)),
)

SPANS = (
    Span(
        "metadata.worker.handle",
        "One event about a media job, or one try of the sweep.",
        ("job_id", "request_id", "attempt", "correlation_id", "outcome"),
    ),
    Span("metadata.worker.enrich", "A provider is asked about a medium.", ("job_id", "media_type")),
    Span("metadata.worker.publish", "The messages of a change are written with it.", ("job_id", "stage", "messages")),
)

# of a database's statement, of a provider's answer, and of the longest that is waited for
_MILLISECONDS = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000)

MESSAGES = Counter(
    "metadata_worker_messages_total",
    "Events about media jobs that were handled, by result: success, skipped, failure.",
    labels=("result",),
)
DURATION = Histogram(
    "metadata_worker_duration_ms",
    "How long the handling of an event took, by result.",
    labels=("result",),
    unit="ms",
    buckets=_MILLISECONDS,
)
REDELIVERIES = Counter("metadata_worker_redeliveries_total", "Events that came for the second time or later.")
DEAD_LETTERS = Counter(
    "metadata_worker_dlq_total", "What was given up and is in the dead letter topic, by error.", labels=("tag",)
)
UNREADABLE = Gauge(
    "media_unreadable_objects",
    "Objects below `jobs/Queued` that are no jobs, as this process has seen them; looked at every quarter of an hour.",
)
MOVES = Counter("media_moves_total", "Changes of stage of media jobs, by the stage reached.", labels=("stage",))
MIRRORED = Counter("media_mirrored_total", "Jobs whose objects were made from their rows.", labels=("outcome",))
