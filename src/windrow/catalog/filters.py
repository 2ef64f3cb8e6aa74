"""Which items are meant."""

import re
from dataclasses import dataclass

from windrow.contracts.errors import ValidationFailure

# as long as the contract lets a label or an owner be; and what the database cannot be sent
_SENDABLE = re.compile("[^\x00\ud800-\udfff]{1,256}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """All that is given must hold; `deleted` asks for those that are gone instead of those that are there."""

    endpoint: str | None = None
    entity_type: str | None = None
    label: str | None = None
    owner: str | None = None
    deleted: bool = False

    def __post_init__(self) -> None:
        for name in ("endpoint", "entity_type", "label", "owner"):
            value = getattr(self, name)
            if value is not None and not _SENDABLE.fullmatch(value):
                raise ValidationFailure(
                    f"no item can have the {name.replace('_', ' ')} {value[:80]!r}",
                    hint="`windrow items count` shows endpoints and types, `windrow items show` the labels and owners of an item",
                )
