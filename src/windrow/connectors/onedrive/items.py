"""Records become items. What a record says is all that is needed: the same record gives the same item anywhere."""

from datetime import UTC, datetime
from typing import Any

from windrow.connectors.onedrive.records import Record
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.item import Item, Relation

_LONGEST_NAME = 1000
_LONGEST_PATH = 4000
_LONGEST_LABEL = 256
_LONGEST_TEXT = 2000
_COPIED = ("size", "mime_type", "hashes", "client_created", "client_modified", "package", "remote", "permissions")


def external_id(drive: str, key: str) -> str:
    """A thing's id; those of its own drive alone may be another thing's elsewhere."""
    return f"{drive}/{key}"


def item(record: Record) -> Item:
    """One record as an item."""
    drive, key = record["drive"], record["id"]
    if not isinstance(drive, str) or not isinstance(key, str):
        raise ValidationFailure("a drive item without an id")
    if record.get("gone"):
        return Item(
            entity_type=record["kind"],
            external_id=external_id(drive, key),
            display_name=_cut(record.get("name") or key, _LONGEST_NAME),
            deleted=True,
        )
    return _present(record, drive, key)


def _present(record: Record, drive: str, key: str) -> Item:
    parent, owner = record.get("parent"), record.get("created_by")
    path, url = record.get("path"), record.get("url")
    return Item(
        entity_type=record["kind"],
        external_id=external_id(drive, key),
        display_name=_cut(" ".join((record.get("name") or "").split()) or key, _LONGEST_NAME),
        canonical_path=_cut(path, _LONGEST_PATH) if path else None,
        url=url if url and len(url) <= _LONGEST_PATH else None,
        owners=(_cut(owner, _LONGEST_LABEL),) if owner else (),
        labels=tuple(label for label in ("malware", "shared") if record.get(label)),
        source_version=_cut(record["etag"], _LONGEST_LABEL) if "etag" in record else None,
        source_created_at=_moment(record.get("created")),
        source_updated_at=_moment(record.get("modified")),
        attributes=_attributes(record, drive),
        relations=(Relation("parent", external_id(drive, parent)),) if parent else (),
    )


def _attributes(record: Record, drive: str) -> dict[str, Any]:
    said = {name: record[name] for name in _COPIED if name in record}
    said["drive"] = drive
    for name in ("modified_by", "description", "permissions_unread"):
        if text := record.get(name):
            said[name] = _cut(text, _LONGEST_TEXT)
    if isinstance(record.get("shared"), str):
        said["shared"] = _cut(record["shared"], _LONGEST_LABEL)
    return said


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _moment(text: str | None) -> datetime | None:
    """A time of the source's; None for one that is missing or broken."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found
