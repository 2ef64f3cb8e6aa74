"""What previews say."""

from windrow.telemetry.declare import Counter, Event, Level, Span

EVENTS = (
    Event(
        "preview.started",
        Level.INFO,
        "A sample of a source is taken; nothing is written.",
        ("connector", "rows", "bytes", "seconds"),
    ),
    Event(
        "preview.ended",
        Level.INFO,
        "A sample was taken; `outcome` is what ended it: the whole dataset, or one of the bounds.",
        ("outcome", "connector", "pages", "item_count", "refused", "bytes", "seconds"),
    ),
    Event(
        "preview.failed",
        Level.ERROR,
        "A source could not be sampled.",
        ("connector", "error_class", "code", "reason"),
    ),
    Event(
        "preview.disabled",
        Level.WARN,
        "A preview was asked for of a connector that offers none; it ended at once.",
        ("connector",),
    ),
)

SPANS = (Span("preview.take", "A sample of a source is taken.", ("source",)),)

DISABLED = Counter(
    "preview_disabled_total", "Previews asked for of connectors that offer none, by connector.", labels=("connector",)
)
