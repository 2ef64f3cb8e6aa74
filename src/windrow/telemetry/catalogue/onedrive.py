"""What the OneDrive connector says."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event(
        "onedrive.relisted",
        Level.INFO,
        "What has changed in the drives since the last pass cannot be told, or not all of it, so all of them are listed.",
        ("reason",),
    ),
)
