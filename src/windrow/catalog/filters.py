"""Which items are meant."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """All that is given must hold; `deleted` asks for those that are gone instead of those that are there."""

    endpoint: str | None = None
    entity_type: str | None = None
    label: str | None = None
    owner: str | None = None
    deleted: bool = False
