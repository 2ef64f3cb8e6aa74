"""What is said about those who log in to the console."""

from windrow.telemetry.declare import Event, Gauge, Level

EVENTS = (
    Event("session.opened", Level.INFO, "Somebody logged in, by a link or at the issuer.", ("subject",)),
    Event("session.ended", Level.INFO, "Somebody logged out.", ("subject",)),
    Event(
        "login.refused",
        Level.WARN,
        "Somebody came back from the issuer and was not let in, or could not be sent there.",
        ("reason",),
        ("code", "detail"),
    ),
)

FOLLOWING = Gauge("console_live_streams", "Pages in browsers that are told of changes as they happen.")
