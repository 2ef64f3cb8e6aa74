"""What is said about blobs: content that is uploaded for items."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event("blob.linked", Level.INFO, "Uploaded content is part of its item.", ("blob_id", "item_id", "bytes", "by")),
    Event(
        "blob.expired",
        Level.INFO,
        "Nobody uploaded what was asked for, or its item is gone; what was left of it is deleted.",
        ("blob_id", "item_id", "objects"),
    ),
    Event(
        "blob.neglected",
        Level.WARN,
        "A blob could not be tidied up; the sweep comes back to it.",
        ("blob_id", "code", "error"),
    ),
)

BLOBS = Counter("blobs_total", "Blobs that came to a state: requested, linked, expired.", labels=("state",))
BYTES = Counter("blob_bytes_total", "Bytes of the blobs that were linked.")
