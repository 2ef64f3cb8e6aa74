"""What is said about bearer tokens and the keys they are checked with. Who was turned away, the HTTP edge says."""

from windrow.telemetry.declare import Counter, Event, Level

EVENTS = (
    Event(
        "issuer_keys.changed",
        Level.INFO,
        "The keys that an issuer publishes were read, and are other ones than before.",
        ("url", "keys", "added", "removed"),
    ),
    Event(
        "key_reading.failed",
        Level.WARN,
        "An issuer's keys could not be read. Those of the last reading go on being used; without any, no token can be checked.",
        ("url", "code", "reason", "keys"),
        ("age_seconds",),
    ),
    Event(
        "issuer_reading.failed",
        Level.WARN,
        "What an issuer says of itself could not be read. What was `kept` of it goes on being used; without any, nobody can log in there and no token of its can be checked.",
        ("url", "code", "reason", "kept"),
    ),
)

TOKENS = Counter(
    "oidc_tokens_total",
    "Bearer tokens by what became of them: `believed`, `undecided` (no keys yet), or the rule that they broke.",
    labels=("outcome",),
)
READINGS = Counter(
    "oidc_key_readings_total",
    "Readings of an issuer's keys by what came of them: `read`, or an error code.",
    labels=("outcome",),
)
