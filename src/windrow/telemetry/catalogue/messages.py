"""What publishing, the relay and the dead letters say."""

from windrow.telemetry.declare import Counter, Event, Gauge, Histogram, Level, Span

EVENTS = (
    Event(
        "message.retried",
        Level.WARN,
        "A delivery failed and will be tried again; its key waits until then.",
        ("topic", "subscription", "message_id", "retry_attempt", "error_class", "code", "retry_in_seconds", "reason"),
    ),
    Event(
        "message.dead_lettered",
        Level.ERROR,
        "A message could not be delivered within its budget, or never can be; its key goes on without it.",
        ("topic", "subscription", "message_id", "attempts", "error_class", "code", "reason"),
    ),
    Event(
        "claim.expired",
        Level.WARN,
        "A claim ran out unanswered: who held it died, or is too slow. The message is claimed anew.",
        ("topic", "subscription", "message_id", "claimed_by", "attempts"),
    ),
    Event(
        "claim.lost",
        Level.WARN,
        "Who held a claim came back after it had gone to another; what was to be settled is left to that one.",
        ("topic", "subscription", "message_id", "claimed_by"),
    ),
    Event(
        "dead_letters.replayed",
        Level.INFO,
        "Dead letters were put back, with a fresh budget.",
        ("letters", "actor"),
        ("subscription",),
    ),
    Event(
        "dead_letters.discarded",
        Level.WARN,
        "Dead letters were given up by an operator.",
        ("letters", "actor"),
        ("subscription",),
    ),
    Event(
        "subscription.replayed",
        Level.INFO,
        "A subscription was set back, and receives again what follows that position.",
        ("subscription", "topic", "position", "messages", "actor"),
    ),
    Event(
        "subscription.attached",
        Level.INFO,
        "A tenant's topic has begun, and what the settings want of it is subscribed.",
        ("topic", "subscription", "sink"),
    ),
    Event(
        "pulled.given_back",
        Level.WARN,
        "A message pulled from Pub/Sub could not be handled now; it will be delivered again.",
        ("subscription", "message_id", "error_class", "code", "reason"),
    ),
    Event(
        "pulled.dropped",
        Level.ERROR,
        "A message pulled from Pub/Sub can never be handled, and its subscription has no dead letter topic: it is acknowledged.",
        ("subscription", "message_id", "error_class", "code", "reason"),
    ),
    Event(
        "pulled.unsettled",
        Level.WARN,
        "Pub/Sub could not be told about a pulled message: it may be delivered again.",
        ("subscription", "message_id", "step", "error_class", "code", "reason"),
    ),
    Event(
        "messages.purged", Level.INFO, "Delivered messages reached the end of their retention.", ("topic", "messages")
    ),
    Event(
        "relay.stalled",
        Level.WARN,
        "A step of the relay failed and will be tried again; claims that it could not settle run out.",
        ("step", "error_class", "code", "reason"),
        ("retry_in_seconds",),
    ),
)

PUBLISHED = Counter("messages_published_total", "Messages that were committed and routed, by topic.", labels=("topic",))
DELIVERED = Counter(
    "messages_delivered_total", "Deliveries acknowledged, by topic and mode (push, pull).", labels=("topic", "mode")
)
FAILED = Counter(
    "messages_failed_total",
    "Deliveries that failed, by topic, mode, error class and code.",
    labels=("topic", "mode", "error_class", "code"),
)
DEAD_LETTERED = Counter(
    "messages_dead_lettered_total",
    "Messages that became dead letters, by topic, mode and code.",
    labels=("topic", "mode", "code"),
)
PURGED = Counter(
    "messages_purged_total", "Messages removed at the end of their retention, by topic.", labels=("topic",)
)
LAG = Gauge(
    "messages_lag_seconds",
    "The age of the oldest message that a subscription still has to receive, by topic; 0 when there is none.",
    labels=("topic",),
    unit="s",
)
DELIVERY_SECONDS = Histogram(
    "messages_delivery_seconds",
    "How long a sink took for a delivery, by topic and outcome.",
    labels=("topic", "outcome"),
    unit="s",
)
PULLED = Counter(
    "messages_pulled_total",
    "Messages pulled from Pub/Sub, by outcome (handled, given_back, dropped).",
    labels=("outcome",),
)
HANDLING_SECONDS = Histogram(
    "messages_handling_seconds",
    "How long the handler of a message pulled from Pub/Sub took, by outcome.",
    labels=("outcome",),
    unit="s",
)

SPANS = (
    Span(
        "message.deliver",
        "One attempt to deliver one message to a sink.",
        ("topic", "subscription", "message_id", "attempt", "outcome"),
    ),
    Span(
        "message.handle",
        "One attempt to handle one message pulled from Pub/Sub.",
        ("subscription", "message_id", "outcome"),
    ),
)
