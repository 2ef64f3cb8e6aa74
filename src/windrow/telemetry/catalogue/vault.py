"""What is said about credentials; of them only their references."""

from windrow.telemetry.declare import Counter, Event, Level, Span

EVENTS = (
    Event(
        "credential.refreshed",
        Level.INFO,
        "A credential was read anew, because the other side refused it.",
        ("credential_ref", "tenant_id"),
    ),
    Event(
        "credential.refused",
        Level.WARN,
        "A tenant named a credential that the operator has not allowed to it.",
        ("credential_ref", "tenant_id"),
    ),
)

SPANS = (Span("vault.read", "A credential is read from where it is kept.", ("scheme", "credential_ref")),)

READS = Counter(
    "vault_reads_total",
    "Credentials read from where they are kept, by scheme and outcome (read, missing, refused, failed).",
    labels=("scheme", "outcome"),
)
