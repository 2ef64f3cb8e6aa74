"""What is said about those who log in to the console."""

from windrow.telemetry.declare import Event, Gauge, Level

EVENTS = (
    Event("session.opened", Level.INFO, "Somebody logged in by a link, which is used up now.", ("subject",)),
    Event("session.ended", Level.INFO, "Somebody logged out.", ("subject",)),
)

FOLLOWING = Gauge("console_live_streams", "Pages in browsers that are told of changes as they happen.")
