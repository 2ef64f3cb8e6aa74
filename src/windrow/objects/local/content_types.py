"""The content types of files. Most are told by the suffix; the others are written down beside, in `.types`.

A note names the etag that it is about. It is written before its object is placed and keeps the line of the one that
is there, so that a crash between the two, or a reader between them, never sees one object with the type of another.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath

from windrow.objects.content_type import OCTETS
from windrow.objects.local.draft import drafted
from windrow.objects.local.tree import Spot, Tree, spot_of

FOLDER = ".types"
_BY_SUFFIX = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".mp4": "video/mp4",
    ".ndjson": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".txt": "text/plain",
    ".webm": "video/webm",
}


def by_suffix(key: str) -> str:
    """The type of an object that has no note: one that was put so, or a file that a person laid there."""
    return _BY_SUFFIX.get(PurePosixPath(key).suffix.lower(), OCTETS)


def noted(tree: Tree, key: str, etag: str) -> str | None:
    """The type that was written down for this version of the object."""
    return _read(tree, spot_of(key, FOLDER)).get(etag)


@contextmanager
def noting(tree: Tree, key: str, held: str | None, etag: str, content_type: str) -> Iterator[None]:
    """Note the type of `etag`, which the block puts in the place of `held`. Under the key's lock."""
    spot = spot_of(key, FOLDER)
    before = _read(tree, spot)
    lasting = {version: noted for version, noted in before.items() if version == held}
    coming = {etag: content_type} if content_type != by_suffix(key) else {}
    if coming and before != lasting | coming:
        _write(tree, spot, lasting | coming)
    yield
    if before and not coming:
        forget(tree, key)


def forget(tree: Tree, key: str) -> None:
    """Remove the note of an object that is gone, or needs none any more. Under the key's lock."""
    spot = spot_of(key, FOLDER)
    with suppress(FileNotFoundError), tree.opened(*spot.folders) as folder:
        os.unlink(spot.name, dir_fd=folder)


def _read(tree: Tree, spot: Spot) -> dict[str, str]:
    file = tree.open_file(spot)
    if file is None:
        return {}
    with os.fdopen(file, "rb") as opened:
        try:
            notes = json.load(opened)
        except ValueError:
            # a stranger's; the suffix decides
            return {}
    return notes if isinstance(notes, dict) else {}


def _write(tree: Tree, spot: Spot, notes: dict[str, str]) -> None:
    with drafted(tree) as draft, tree.made(*spot.folders) as folder:
        draft.write(json.dumps(notes).encode())
        draft.seal()
        draft.place(folder, spot.name)
        tree.sync(*spot.folders)
