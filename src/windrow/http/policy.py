"""How a client behaves, as values: one policy a source, made by the composition root."""

import math
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version

from windrow.contracts.errors import Fatal
from windrow.contracts.retry import RetryPolicy

MIB = 1024 * 1024
USER_AGENT = f"windrow/{version('windrow')}"
# D17: a hiccup is retried at once, twice at most; its delays only keep two clients from colliding again
HICCUPS = RetryPolicy(timedelta(milliseconds=100), timedelta(seconds=1), attempts=3, factor=4.0, spread=0.5)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`requests` per `per`, evenly; after a rest, up to `burst` at once.

    In any stretch of time there are at most `burst` more requests than the rate gives.
    """

    requests: float
    per: timedelta = timedelta(seconds=1)
    burst: int = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.requests) and self.requests > 0 and self.per > timedelta(0) and self.burst >= 1):
            raise Fatal(
                f"{self} is not a rate",
                hint="give a positive number of requests, a positive time and a burst of 1 or more",
            )

    @property
    def per_second(self) -> float:
        return self.requests / self.per.total_seconds()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of an answer is taken in."""

    wire_bytes: int = 32 * MIB
    body_bytes: int = 64 * MIB
    # deflate reaches 1032; a body this dense is refused once it is also large
    ratio: int = 200
    header_bytes: int = 64 * 1024
    headers: int = 200


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. `idle` is between two reads, `total` for all of a call but its waiting for a turn, which is `queue`."""

    connect: float = 10.0
    idle: float = 30.0
    total: float = 120.0
    queue: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPolicy:
    """What one source is granted. `source` names it in metrics and logs, so it is a kind of thing, never an id."""

    source: str = "http"
    allow: tuple[str, ...] = ()
    rate: RateLimit | None = None
    per_host: int = 8
    limits: Limits = field(default_factory=Limits)
    timeouts: Timeouts = field(default_factory=Timeouts)
    max_redirects: int = 5
    hiccups: RetryPolicy = HICCUPS
    # "within seconds": a failure that took longer to show is no hiccup
    hiccup_window: timedelta = timedelta(seconds=5)
    retry_after_ceiling: timedelta = timedelta(hours=1)
    user_agent: str = USER_AGENT
