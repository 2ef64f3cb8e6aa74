"""What the harvest says: the harvester that publishes pages, and the subscriber that persists them."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event(
        "harvest.started",
        Level.INFO,
        "A slice began: the connector is prepared, the cursor is read.",
        ("run_id", "lane", "epoch", "cursor", "page_size"),
    ),
    Event(
        "harvest.published",
        Level.INFO,
        "A page is in the outbox, and the cursor is behind it.",
        ("batch_id", "cursor_token", "item_count", "repeats", "quarantined", "bytes", "retry_attempt"),
    ),
    Event(
        "harvest.replayed",
        Level.INFO,
        "A page was published already; the answer had been lost. Nothing was written.",
        ("batch_id", "cursor", "item_count"),
    ),
    Event(
        "harvest.quarantined",
        Level.ERROR,
        "Records of a page were refused; the rest goes on.",
        ("position", "quarantined", "reasons"),
    ),
    Event(
        "harvest.neared_ceiling", Level.WARN, "A page came near the memory ceiling.", ("bytes", "ceiling", "position")
    ),
    Event("harvest.resized", Level.INFO, "The next pages are of another size.", ("page_size", "before", "reason")),
    Event(
        "harvest.superseded",
        Level.WARN,
        "Somebody else has taken the lane over; this slice stops and touches nothing.",
        ("run_id", "lane", "epoch"),
    ),
    Event(
        "harvest.ended",
        Level.INFO,
        "A slice ended: done, more, cancelled.",
        ("outcome", "cursor", "pages", "item_count", "quarantined", "bytes", "seconds"),
    ),
    Event(
        "harvest.failed",
        Level.ERROR,
        "A slice ended with an error; the cursor stays behind the last page that was published.",
        ("error_class", "code", "reason", "cursor", "pages"),
    ),
    Event(
        "harvest.retried",
        Level.WARN,
        "A slice failed and will be tried again.",
        ("error_class", "code", "reason", "retry_attempt", "retry_in_seconds"),
    ),
    Event(
        "harvest.verified",
        Level.INFO,
        "Every record that a run has read is accounted for in the catalog.",
        ("run_id", "created", "updated", "deleted", "unchanged", "outdated", "discarded"),
    ),
    Event(
        "batch.persisted",
        Level.INFO,
        "Batches of a lane are in the catalog; `outcome` is `unchanged` where nothing had to be written.",
        ("lane", "batches", "seq", "created", "updated", "deleted", "unchanged", "outdated", "outcome", "seconds"),
    ),
    Event(
        "lane.stopped",
        Level.ERROR,
        "A batch cannot be persisted; its lane waits for an operator, the others flow.",
        ("lane", "seq", "batch_id", "error_class", "code", "reason"),
    ),
    Event("lane.resumed", Level.INFO, "An operator let a lane flow again.", ("lane", "seq", "action", "actor")),
    Event(
        "subscriber.stalled",
        Level.WARN,
        "Persisting waits for the database.",
        ("error_class", "code", "reason", "retry_in_seconds"),
    ),
    Event("listing.applied", Level.INFO, "A whole listing was carried out.", ("generation", "gone", "known")),
    Event(
        "listing.held",
        Level.WARN,
        "A whole listing lacks more items than may go without an operator's word.",
        ("generation", "missing", "known", "hint"),
    ),
    Event(
        "listing.decided", Level.INFO, "An operator decided about a held listing.", ("generation", "decision", "actor")
    ),
    Event(
        "quarantine.retried",
        Level.INFO,
        "Refused records went through the connector and the contract once more.",
        ("lane", "published", "refused", "known", "not_kept", "changed", "actor"),
    ),
    Event(
        "quarantine.left_untried",
        Level.WARN,
        "Refused records could not be tried again: their endpoint is gone, or could not be opened.",
        ("endpoint_id", "entries", "code", "message"),
    ),
    Event(
        "quarantine.dropped",
        Level.INFO,
        "Refused records were given up by an operator.",
        ("endpoint_id", "entries", "actor"),
    ),
    Event("outbox.purged", Level.INFO, "Settled batches were removed after their retention.", ("batches",)),
)

SPANS = (
    Span("harvest.slice", "One slice of a harvest.", ("lane", "run_id")),
    Span("harvest.page", "One page: fetched, refined and published.", ("position",)),
    Span("batch.persist", "One transaction of the subscriber.", ("lane", "batches")),
)

BATCHES = Counter("harvest_batches_total", "Batches that were published, by connector.", labels=("directive",))
ITEMS = Counter("harvest_items_total", "Items that were published, by connector.", labels=("directive",))
QUARANTINED = Counter(
    "harvest_quarantined_total",
    "Records that were refused, by connector and first reason.",
    labels=("directive", "why"),
)
LATENCY = Histogram(
    "harvest_latency_seconds",
    "From asking the source for a page to its being published, by connector.",
    labels=("directive",),
    unit="s",
)
PERSISTED = Counter(
    "worker_batch_processed_total",
    "Items that were persisted, by connector and result (created, updated, deleted, unchanged, outdated, failed).",
    labels=("directive", "result"),
)
PENDING = Gauge("harvest_outbox_pending_batches", "Batches that wait to be persisted, of all tenants.")
LAG = Gauge("harvest_outbox_lag_seconds", "The age of the oldest batch that waits to be persisted.")
STOPPED = Gauge("harvest_lanes_stopped", "Lanes that wait for an operator.")
