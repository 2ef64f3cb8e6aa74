"""What is said about YouTube, where media are asked about."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event("metadata.worker.youtube_fetch_start", Level.INFO, "YouTube is asked about a video.", ("video_id",)),
    Event(
        "metadata.worker.youtube_fetch_success",
        Level.INFO,
        "YouTube has told about a video.",
        ("video_id", "duration_ms"),
    ),
    Event(
        "metadata.worker.youtube_fetch_failed",
        Level.WARN,
        "YouTube did not tell about a video; the class of the error says whether it is asked again.",
        ("video_id", "duration_ms", "error_class", "code", "reason"),
        ("not_before",),
    ),
    Event(
        "youtube.quota_exhausted",
        Level.WARN,
        "The day's quota is used up. YouTube is not asked before the moment that is named.",
        ("not_before", "used", "reason"),
    ),
    Event(
        "youtube.limited",
        Level.WARN,
        "YouTube asks to slow down. It is not asked before the moment that is named.",
        ("not_before", "reason"),
    ),
    Event(
        "youtube.key_refused",
        Level.ERROR,
        "YouTube does not accept the key. Nothing of YouTube's is enriched until somebody has seen to it.",
        ("reason", "hint"),
    ),
    Event(
        "youtube.answer_malformed",
        Level.WARN,
        "YouTube's answer, or a part of it, is not what its documentation says.",
        ("method", "reason"),
    ),
)

SPANS = (Span("youtube.request", "One request to YouTube, for as many videos as were asked about.", ("method", "ids")),)

REQUESTS = Counter(
    "metadata_worker_youtube_requests_total",
    "Requests to YouTube by method and outcome: `ok`, or an error code.",
    labels=("method", "outcome"),
)
SECONDS = Histogram(
    "metadata_worker_youtube_seconds",
    "How long YouTube took to answer, by method.",
    labels=("method",),
    unit="s",
)
USED = Gauge(
    "metadata_worker_youtube_quota_used", "Units of the day's quota that this process has used; a request costs one."
)
EXHAUSTED = Gauge("metadata_worker_youtube_quota_exhausted", "1 while the day's quota is used up, else 0.")
