"""What the git connector says."""

from windrow.telemetry.declare import Event, Level

EVENTS = (
    Event(
        "git.relisted",
        Level.INFO,
        "It cannot be told what has changed in a repository since the last pass, so all of it is listed again.",
        ("reason",),
    ),
)
