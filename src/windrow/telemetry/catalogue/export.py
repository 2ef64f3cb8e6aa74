"""What exports of the catalog say."""

from windrow.telemetry.declare import Counter, Event, Level, Span

EVENTS = (
    Event("export.started", Level.INFO, "The catalog is written down.", ("export_id", "format", "destination")),
    Event(
        "export.resumed",
        Level.INFO,
        "An export goes on behind the parts that an earlier attempt has left.",
        ("export_id", "parts", "item_count"),
    ),
    Event(
        "export.part_written", Level.INFO, "A part of an export is there.", ("export_id", "part", "item_count", "bytes")
    ),
    Event(
        "export.ended",
        Level.INFO,
        "An export is whole: its manifest is there.",
        ("export_id", "parts", "item_count", "bytes"),
    ),
)

SPANS = (Span("export.write", "The catalog is written down.", ("export_id",)),)

ITEMS = Counter("catalog_exported_items_total", "Items that were written down, by format.", labels=("format",))
