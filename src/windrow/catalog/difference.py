"""What is different between two revisions of an item, field by field."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_ABSENT: Any = object()


class Kind(StrEnum):
    """What happened to an item."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, such as `display_name` or `attributes.size`; None where it was absent."""

    field: str
    before: Any
    after: Any


def kind(before: Mapping[str, Any], after: Mapping[str, Any]) -> Kind:
    """What a change made of the item."""
    was, is_now = bool(before.get("deleted")), bool(after.get("deleted"))
    if was == is_now:
        return Kind.CHANGED
    return Kind.DELETED if is_now else Kind.RESTORED


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The fields that differ; attributes one by one. None differ where only relations did: history keeps none of those."""
    return tuple(_compare("", before, after))


def _compare(within: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for name in sorted({*before, *after}):
        if not within and name == "attributes":
            yield from _compare("attributes.", before.get(name, {}), after.get(name, {}))
            continue
        old, new = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if type(old) is not type(new) or old != new:
            yield Difference(within + name, _shown(old), _shown(new))


def _shown(value: Any) -> Any:
    return None if value is _ABSENT else value
