"""Records become items. What a record says is all that is needed: the same record gives the same item anywhere."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from windrow.connectors.singer.config import StreamRules
from windrow.connectors.singer.messages import Bad, Record, Schema
from windrow.connectors.singer.naming import entity_type, external_id
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.item import Item

# what taps add of their own about when and how they ran: it differs at each run, and says nothing about the thing
VOLATILE = frozenset(
    f"_sdc_{name}"
    for name in (
        "extracted_at",
        "received_at",
        "batched_at",
        "started_at",
        "sync_started_at",
        "sequence",
        "table_version",
    )
)
DELETED = "_sdc_deleted_at"

_NAMES = ("name", "title", "display_name", "full_name", "subject", "label")
_URLS = ("html_url", "web_url", "url")
_CREATED = ("created_at",)
_UPDATED = ("updated_at", "modified_at", "last_modified_at")
_LONGEST_NAME = 200
_LONGEST_URL = 4096
# an excerpt: items are metadata
_LONGEST_TEXT = 2000


def taken(record: Record, schema: Schema | None, ignored: frozenset[str]) -> dict[str, Any]:
    """A record as a page holds it: with all that is needed to make an item of it, now or from the quarantine."""
    if schema is None:
        return {"bad": f"a record of the stream {record.stream[:80]!r} came before its SCHEMA", "text": ""}
    fields = {name: value for name, value in record.fields.items() if name not in ignored}
    kept: dict[str, Any] = {"stream": record.stream, "keys": list(schema.keys), "record": fields}
    return {**kept, "bookmarks": list(schema.bookmarks)} if schema.bookmarks else kept


def unread(bad: Bad) -> dict[str, Any]:
    """A line that is no message, as a page holds it."""
    return {"bad": f"the tap gave {bad.reason}", "text": bad.text, "size": bad.size}


def item(given: Mapping[str, Any], rules_of: Callable[[str], StreamRules]) -> Item:
    """One record as an item."""
    if "bad" in given:
        raise ValidationFailure(str(given["bad"]), code=Code.INVALID)
    stream, fields = given["stream"], given["record"]
    rules = rules_of(stream)
    name = external_id(stream, rules.id or given["keys"], fields)
    kind = rules.entity_type or entity_type(stream)
    display = _display(fields, rules.name, name)
    if fields.get(DELETED) is not None:
        return Item(entity_type=kind, external_id=name, display_name=display, deleted=True)
    return Item(
        entity_type=kind,
        external_id=name,
        display_name=display,
        url=_first(_address, fields, rules.url, _URLS),
        source_created_at=_first(_moment, fields, rules.created_at, _CREATED),
        source_updated_at=_first(_moment, fields, rules.updated_at, (*given.get("bookmarks", ()), *_UPDATED)),
        attributes=_attributes(fields, rules),
    )


def _first(read: Any, fields: Mapping[str, Any], said: str | None, guessed: Iterable[str]) -> Any:
    """What the field that was named says; without a name, what the first of the usual ones does."""
    found = (read(fields.get(name)) for name in ((said,) if said else guessed))
    return next((value for value in found if value is not None), None)


def _display(fields: Mapping[str, Any], said: str | None, otherwise: str) -> str:
    return _first(_name, fields, said, _NAMES) or _cut(otherwise.partition(":")[2] or otherwise, _LONGEST_NAME)


def _name(value: Any) -> str | None:
    """A name in one line."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _cut(" ".join(str(value).split()), _LONGEST_NAME) or None


def _address(value: Any) -> str | None:
    is_one = isinstance(value, str) and value.startswith(("https://", "http://")) and len(value) <= _LONGEST_URL
    return value if is_one else None


def _moment(value: Any) -> datetime | None:
    """A time as ISO 8601 writes it, in UTC where it does not say; None for one that is broken or beyond the calendar."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _attributes(fields: Mapping[str, Any], rules: StreamRules) -> dict[str, Any]:
    return {
        name: _excerpt(value)
        for name, value in fields.items()
        if value is not None and (rules.fields is None or name in rules.fields)
    }


def _excerpt(value: Any) -> Any:
    if isinstance(value, str):
        return _cut(value, _LONGEST_TEXT)
    if isinstance(value, dict):
        return {name: _excerpt(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_excerpt(inner) for inner in value]
    return value


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
