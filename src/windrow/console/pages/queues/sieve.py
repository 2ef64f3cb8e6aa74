"""Which dead letters are meant: those of a subscription, of a topic, or all; as the address says."""

from urllib.parse import urlencode

from windrow.console.session import Visit

# a name has 64 characters
LONGEST = 64


def sieve_of(visit: Visit) -> dict[str, str | None]:
    """As the domain takes it."""
    asked = visit.request.query_params
    return {name: asked.get(name, "").strip().replace("\0", "")[:LONGEST] or None for name in ("subscription", "topic")}


def address(sieve: dict[str, str | None], **more: str) -> str:
    """Of the list that shows those."""
    query = urlencode({name: value for name, value in {**sieve, **more}.items() if value})
    return f"/queues/dead-letters?{query}" if query else "/queues/dead-letters"
