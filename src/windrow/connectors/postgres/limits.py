"""How much of a server is taken in, and how long it may take. The server may be anybody's."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and rows that are enough for anything honest."""

    login_seconds: float = 15.0
    # more than the server itself is told: one that does not keep to it is left
    answer_seconds: float = 90.0
    # a hundred of the widest tables have fewer columns
    rows: int = 200_000
