"""The closer look at items of a page in which something is not plain: mended where that is harmless, refused where not.

NUL characters, halves of surrogate pairs    become U+FFFD; in the external id they are refused, since it names the item
NaN and infinities                           become null
integers beyond 64 bits                      refused: somewhere they would come back as another number
content where metadata is due                refused as RAW_BLOB, with a pointer to the signed-URL upload
too large, too deep, against the contract    refused, with every reason
"""

import math
import re
from collections.abc import Iterator
from datetime import UTC
from typing import Any, TypeGuard

import msgspec

from windrow.contracts.identity import canonical
from windrow.contracts.item import DEEPEST_ATTRIBUTES, LARGEST_ATTRIBUTES, LARGEST_ITEM, Item
from windrow.contracts.quarantine import Reason, Why
from windrow.harvest.reasons import reasons

# an item below this size cannot hold a blob worth the name
SMALL = 4096
LONGEST_TEXT = 32 * 1024

_DEEPEST = DEEPEST_ATTRIBUTES + 2  # attributes are a level below the item, their values another
_FURTHEST = 2**63
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BASE64 = re.compile(rf"(?:data:[^,]{{0,200}};base64,)?[A-Za-z0-9+/_-]{{{SMALL},}}={{0,2}}")
_HINT = "send it by signed URL (`windrow blobs upload`), and keep a reference here"


def external_id(given: Any) -> str | None:
    """What names the item, also where the rest of it is wrong."""
    named = (
        given.external_id if isinstance(given, Item) else given.get("external_id") if isinstance(given, dict) else None
    )
    return named if nameable(named) else None


def nameable(named: Any) -> TypeGuard[str]:
    """Whether this can name an item."""
    return isinstance(named, str) and 0 < len(named) <= 1024 and not _UNSTORABLE.search(named)


def examine(given: Item | dict[str, Any]) -> tuple[Item, bytes] | list[Reason]:
    """The item with its canonical JSON, mended where it may be, or every reason why it is refused."""
    try:
        # in one order: a set has none of its own, and the hash is to be the same tomorrow
        plain = msgspec.to_builtins(given, builtin_types=(bytes, bytearray, memoryview), order="deterministic")
    except RecursionError:
        return [Reason(why=Why.TOO_DEEP, path="", message="nested too deeply to be read")]
    except (TypeError, ValueError, OverflowError) as error:
        return [Reason(why=Why.NOT_STORABLE, path="", message=f"not JSON: {error}"[:300])]
    found: list[Reason] = []
    mended = _mended(plain, "", 1, found)
    if found:
        return found
    try:
        item = msgspec.convert(mended, Item)
    except msgspec.ValidationError as error:
        return reasons(mended, error)
    try:
        content = canonical(in_order(item))
    except OverflowError:
        return [Reason(why=Why.NOT_STORABLE, path="", message="a time that is beyond the calendar in UTC")]
    except TypeError:
        return [Reason(why=Why.NOT_STORABLE, path="/attributes", message="not JSON: a name in it is no text")]
    return list(_sizes(item, content)) or (item, content)


def in_order(item: Item) -> Item:
    """The item in the one form that is kept and hashed, however the source put it; in place, since it is just made.

    Labels and relations are sets. A moment is the same in every zone, and some zones Postgres does not know.
    """
    if item.labels:
        msgspec.structs.force_setattr(item, "labels", tuple(sorted(set(item.labels))))
    if item.relations:
        msgspec.structs.force_setattr(item, "relations", tuple(sorted(set(item.relations))))
    if (created := item.source_created_at) is not None and created.tzinfo is not UTC:
        msgspec.structs.force_setattr(item, "source_created_at", created.astimezone(UTC))
    if (updated := item.source_updated_at) is not None and updated.tzinfo is not UTC:
        msgspec.structs.force_setattr(item, "source_updated_at", updated.astimezone(UTC))
    return item


def _mended(value: Any, path: str, depth: int, found: list[Reason]) -> Any:
    """The value as it can be stored; what cannot be mended is added to the reasons."""
    if depth > _DEEPEST:
        if not any(reason.why is Why.TOO_DEEP for reason in found):
            found.append(
                Reason(why=Why.TOO_DEEP, path=path[:200], message=f"more than {DEEPEST_ATTRIBUTES} levels deep")
            )
        return None
    match value:
        case dict():
            return {
                _text(key, path, found): _mended(part, f"{path}/{key}"[:300], depth + 1, found)
                for key, part in value.items()
            }
        case list() | tuple():
            return [_mended(part, f"{path}/{place}", depth + 1, found) for place, part in enumerate(value)]
        case str():
            return _text(value, path, found)
        case float() if not math.isfinite(value):
            return None
        case int() if not isinstance(value, bool) and not -_FURTHEST <= value < _FURTHEST:
            found.append(Reason(why=Why.NOT_STORABLE, path=path, message="an integer that does not fit 64 bits"))
        case bytes() | bytearray() | memoryview():
            found.append(Reason(why=Why.RAW_BLOB, path=path, message=f"{len(value)} bytes of content; {_HINT}"))
    return value


def _text(value: Any, path: str, found: list[Reason]) -> Any:
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT or _BASE64.fullmatch(value):
        found.append(Reason(why=Why.RAW_BLOB, path=path, message=f"a text of {len(value)} characters; {_HINT}"))
    if not _UNSTORABLE.search(value):
        return value
    if path == "/external_id":
        found.append(
            Reason(why=Why.NOT_STORABLE, path=path, message="a NUL or half of a surrogate pair in what names the item")
        )
    return _UNSTORABLE.sub("\ufffd", value)


def _sizes(item: Item, content: bytes) -> Iterator[Reason]:
    if len(content) > LARGEST_ITEM:
        yield Reason(why=Why.TOO_LARGE, path="", message=f"{len(content)} bytes; an item has at most {LARGEST_ITEM}")
    size = len(canonical(item.attributes))
    if size > LARGEST_ATTRIBUTES:
        yield Reason(
            why=Why.TOO_LARGE, path="/attributes", message=f"{size} bytes; attributes have at most {LARGEST_ATTRIBUTES}"
        )
