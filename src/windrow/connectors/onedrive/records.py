"""Drive items become records: of each the last word, where it stands, and of the rest only what an item says.

A drive item carries more than is to be kept: download links that work without signing in, counts and sizes of folders
that change without a word. What is not named here goes nowhere, not even into quarantine.
"""

import re
from collections.abc import Iterable
from typing import Any

from windrow.connectors.onedrive.folders import Folder

Record = dict[str, Any]
# half of a surrogate pair: JSON may hold one, and nothing else can
_BROKEN = re.compile("[\ud800-\udfff]")
_LONGEST_HASH = 256
_HASHES = ("quickXorHash", "sha256Hash", "sha1Hash")


def latest(items: Iterable[Any]) -> tuple[dict[str, Any], int]:
    """The last word about each thing, in the order of those; and how many had no name."""
    last: dict[str, Any] = {}
    nameless = 0
    for item in items:
        key = item.get("id") if isinstance(item, dict) else None
        if not isinstance(key, str) or not key or _BROKEN.search(key):
            nameless += 1
            continue
        last.pop(key, None)
        last[key] = item
    return last, nameless


def is_gone(item: dict[str, Any]) -> bool:
    """Whether the source says that it was deleted: by an object, which may be empty."""
    return isinstance(item.get("deleted"), dict)


def is_top(item: dict[str, Any]) -> bool:
    return isinstance(item.get("root"), dict)


def is_folder(item: dict[str, Any]) -> bool:
    return isinstance(item.get("folder"), dict) or is_top(item)


def parent_of(item: dict[str, Any]) -> str | None:
    """The id of the folder that it is in; None for the top."""
    if is_top(item):
        return None
    return _text(_object(item, "parentReference"), "id")


def name_of(item: dict[str, Any]) -> str | None:
    """What people call it."""
    return _text(item, "name")


def folder_of(item: dict[str, Any]) -> Folder:
    """What is kept of a folder."""
    return Folder(parent_of(item), name_of(item) or "", _object(item, "folder").get("childCount") == 0)


def gone(drive: str, key: str, item: dict[str, Any], *, named: bool = True) -> Record:
    """That a thing is gone. One that was never ours to name keeps its name to itself."""
    return {
        "drive": drive,
        "id": key,
        "kind": _kind(item),
        "name": _text(item, "name") if named else None,
        "gone": True,
    }


def nameless(drive: str) -> Record:
    """A thing without an id, which will be refused."""
    return {"drive": drive, "id": None}


def present(drive: str, key: str, item: dict[str, Any], path: tuple[str, ...] | None) -> Record:
    """What the source says of a thing that is there."""
    file, times = _object(item, "file"), _object(item, "fileSystemInfo")
    hashes = _object(file, "hashes")
    folder = is_folder(item)
    said = {
        "drive": drive,
        "id": key,
        "kind": _kind(item),
        "name": _text(item, "name"),
        "parent": parent_of(item),
        "path": None if path is None else "/" + "/".join(path),
        "url": _text(item, "webUrl"),
        "etag": _text(item, "eTag"),
        "created": _text(item, "createdDateTime"),
        "modified": _text(item, "lastModifiedDateTime"),
        "created_by": _person(item, "createdBy"),
        "modified_by": _person(item, "lastModifiedBy"),
        "description": _text(item, "description"),
        "size": None if folder else _number(item, "size"),
        "mime_type": _text(file, "mimeType"),
        "client_created": _text(times, "createdDateTime"),
        "client_modified": _text(times, "lastModifiedDateTime"),
        "package": _text(_object(item, "package"), "type"),
        "remote": _text(_object(item, "remoteItem"), "id"),
        "malware": True if isinstance(item.get("malware"), dict) else None,
        "shared": _text(_object(item, "shared"), "scope") or (True if is_shared(item) else None),
        "hashes": {name: text[:_LONGEST_HASH] for name in _HASHES if (text := _text(hashes, name))} or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def is_shared(item: dict[str, Any]) -> bool:
    """Whether others have it too. An empty facet says that it stands apart from its folder, and is not shared."""
    return bool(_object(item, "shared"))


def _kind(item: dict[str, Any]) -> str:
    # what is only linked from here may be a folder elsewhere, so that comes first
    for facet, kind in (("remoteItem", "shortcut"), ("package", "package"), ("bundle", "bundle")):
        if isinstance(item.get(facet), dict):
            return kind
    return "folder" if is_folder(item) else "file"


def _person(item: dict[str, Any], role: str) -> str | None:
    said = _object(item, role)
    for who in (_object(said, "user"), _object(said, "application"), _object(said, "device")):
        if found := _text(who, "email") or _text(who, "displayName") or _text(who, "id"):
            return found
    return None


def _object(said: dict[str, Any], name: str) -> dict[str, Any]:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _text(said: dict[str, Any], name: str) -> str | None:
    found = said.get(name)
    return _BROKEN.sub("\ufffd", found) if isinstance(found, str) and found else None


def _number(said: dict[str, Any], name: str) -> int | None:
    found = said.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63 else None
