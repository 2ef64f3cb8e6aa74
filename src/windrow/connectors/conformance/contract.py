"""Everything about an item that the contract does not allow, in words for the connector's author.

What the harvest mends by itself (NUL characters, half surrogate pairs, NaN) is no fault: a source may hold anything.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from windrow.contracts.identity import canonical
from windrow.contracts.item import DEEPEST_ATTRIBUTES, LARGEST_ATTRIBUTES, LARGEST_ITEM, Item, item_schema

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_MENDED = re.compile("[\0\ud800-\udfff]")
_FURTHEST = 2**63


def reasons(item: Any) -> Iterator[str]:
    """Every reason why an item would be refused."""
    try:
        # through JSON, which has no tuples
        plain = _plain(json.loads(json.dumps(msgspec.to_builtins(item))))
    except (TypeError, ValueError, RecursionError) as error:
        yield f"is not JSON: {error}"
        return
    try:
        kept = msgspec.convert(plain, Item)
    except msgspec.ValidationError as error:
        yield from _all(plain, error)
        return
    if _MENDED.search(str(getattr(item, "external_id", None) or item["external_id"])):
        yield "external_id: holds what is no character, and names the item"
    yield from _beyond(kept)


def _plain(value: Any) -> Any:
    """The value as the harvest would keep it."""
    if isinstance(value, dict):
        return {_plain(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return _MENDED.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and not -_FURTHEST <= value < _FURTHEST:
        raise ValueError("an integer that does not fit 64 bits")
    return value


def _all(plain: Any, first: msgspec.ValidationError) -> Iterator[str]:
    # the model stops at its first fault, the schema drawn from it tells all
    found = sorted(_schema().iter_errors(plain), key=lambda fault: fault.json_path)
    for fault in found:
        yield f"{fault.json_path.removeprefix('$').removeprefix('.') or 'the item'}: {fault.message[:200]}"
    if not found:
        yield str(first)


def _beyond(item: Item) -> Iterator[str]:
    if len(canonical(item)) > LARGEST_ITEM:
        yield f"is larger than {LARGEST_ITEM >> 10} KiB"
    if len(canonical(item.attributes)) > LARGEST_ATTRIBUTES:
        yield f"attributes: larger than {LARGEST_ATTRIBUTES >> 10} KiB"
    if _depth(item.attributes) > DEEPEST_ATTRIBUTES:
        yield f"attributes: more than {DEEPEST_ATTRIBUTES} levels"


@cache
def _schema() -> "Draft202012Validator":
    # only here: it takes a tenth of a second to load, and no other command should wait for it
    from jsonschema import Draft202012Validator

    return Draft202012Validator(item_schema())


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0) if isinstance(value, dict | list) else 0
