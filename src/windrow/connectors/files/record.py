"""One entry of the tree as a record, and a record as an item."""

import os
import stat
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow.connectors.files.media_types import media_type
from windrow.connectors.files.naming import named
from windrow.connectors.files.owners import Owners
from windrow.contracts.item import Item, Relation

# the directory at the top, which has no path within itself
TOP = "."
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000_000
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}
_PLAIN = {"file", "directory", "link"}


def identifier(path: bytes) -> str:
    """The external id of a path below the top."""
    return named(path) if path else TOP


def record(path: bytes, name: bytes, status: os.stat_result, owners: Owners, **more: Any) -> dict[str, Any]:
    """What the file system says of one entry, as JSON. What is not known is left out."""
    said = {
        "id": identifier(path),
        "name": named(name),
        "parent": identifier(path.rpartition(b"/")[0]) if path else None,
        "kind": _KINDS.get(stat.S_IFMT(status.st_mode), "unknown"),
        "mode": f"{stat.S_IMODE(status.st_mode):04o}",
        "size": status.st_size if stat.S_ISREG(status.st_mode) else None,
        "modified": _seconds(status.st_mtime_ns),
        "owner": owners.user(status.st_uid),
        "group": owners.group(status.st_gid),
        **more,
    }
    return {key: value for key, value in said.items() if value is not None}


def item(said: dict[str, Any]) -> Item:
    """The record as an item."""
    kind = said["kind"]
    copied = ("mode", "size", "modified", "group", "sha256", "sample_sha256", "target", "unread")
    attributes = {key: said[key] for key in copied if key in said}
    if kind == "file" and (found := media_type(said["name"])):
        attributes["mime_type"] = found
    if kind not in _PLAIN:
        attributes["kind"] = kind
    return Item(
        entity_type=kind if kind in _PLAIN else "special",
        external_id=said["id"],
        display_name=said["name"],
        canonical_path=said["id"],
        owners=(said["owner"],),
        source_updated_at=_moment(said["modified"]),
        attributes=attributes,
        relations=(Relation(type="parent", target=said["parent"]),) if "parent" in said else (),
    )


def _seconds(nanoseconds: int) -> str:
    """Exact, and of any size: a text, since the number may not fit 64 bits."""
    whole, part = divmod(abs(nanoseconds), _SECOND)
    return f"{'-' if nanoseconds < 0 else ''}{whole}.{part:09d}"


def _moment(seconds: str) -> datetime | None:
    """The time; None before the year 1 and after 9999, which only the exact text tells."""
    try:
        return _BEGINNING + timedelta(microseconds=int(seconds.replace(".", "")) // 1000)
    except OverflowError:
        return None
