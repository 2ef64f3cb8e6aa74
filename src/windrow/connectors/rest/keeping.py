"""What is kept of a parent while its children are read: what they say of it, and no more."""

from collections.abc import Iterable
from typing import Any

from windrow.connectors.rest.functions import refused
from windrow.connectors.rest.paths import Path
from windrow.contracts.identity import canonical

_MOST_BYTES = 2048


def pruned(record: Any, paths: Iterable[Path]) -> dict[str, Any]:
    """The parts of a record to which these paths lead, where they were."""
    kept: dict[str, Any] = {}
    for path in sorted(paths, key=str):
        _keep(record, kept, [*path.steps])
    try:
        size = len(canonical(kept))
    except (TypeError, ValueError, OverflowError):
        raise refused("what children say of their parent cannot be kept in a cursor") from None
    if size > _MOST_BYTES:
        raise refused(f"what children say of their parent has more than {_MOST_BYTES} bytes")
    return kept


def _keep(value: Any, kept: dict[str, Any], steps: list[Any]) -> None:
    for place, step in enumerate(steps):
        if not isinstance(step, str) or not isinstance(value, dict) or step not in value:
            return
        following = steps[place + 1 : place + 2]
        value = value[step]
        if following and isinstance(following[0], str) and isinstance(value, dict):
            below = kept.setdefault(step, {})
            # all of it is kept already
            if below is value:
                return
            kept = below
        else:
            kept[step] = value
            return
