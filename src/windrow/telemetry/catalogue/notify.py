"""What is said of notices: the notices themselves, by their severity, and the subscriptions that carry them."""

from windrow.telemetry.declare import Counter, Event, Level

_SAID = ("channel", "message_id", "title", "text")
_OPTIONAL = ("project_id", "endpoint_id", "run_id", "error_class", "code", "hint")

EVENTS = (
    Event("notice.told", Level.INFO, "People were told of something worth knowing.", _SAID, _OPTIONAL),
    Event("notice.warned", Level.WARN, "People were told of something that needs a look.", _SAID, _OPTIONAL),
    Event("notice.alerted", Level.ERROR, "People were told of something that waits for them.", _SAID, _OPTIONAL),
    Event(
        "channel.attached",
        Level.INFO,
        "A channel began in a tenant, or got a webhook: its notices are delivered from here on.",
        ("tenant_id", "topic", "subscription"),
    ),
)

NOTICES = Counter("notices_total", "Notices written, by channel and severity.", labels=("channel", "severity"))
