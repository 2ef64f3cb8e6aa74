"""The folders of all drives, filed in the cache of this machine by where in the drives' history they were so.

At the end of a pass they are written as a whole. During a pass each page adds a line to the pass's journal, before the page
is given away: whichever page was published last, its folders can be had again. What is lost costs a listing, and nothing else.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from windrow.connectors.onedrive.cursor import Way
from windrow.connectors.onedrive.folders import Folder, Tree

# the last pass needs two; more are kept for cursors that somebody sets back
KEPT = 24

Forest = dict[str, Tree]
_encode = msgspec.json.Encoder().encode


class Entry(Struct, omit_defaults=True):
    """What a page has changed of the folders of a drive, and where in the history that leads.

    `anew`: whatever was known before is void.
    """

    place: str = ""
    drive: str = ""
    folders: dict[str, Folder | None] = {}
    anew: bool = False


_entry = msgspec.json.Decoder(Entry).decode


class Archive:
    """A directory with whole forests and journals of passes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def begin(self, way: Way) -> None:
        """A pass begins: whatever an earlier attempt has noted of it is void."""
        self._put(self._journal(way), [])
        self._tidy()

    def note(self, way: Way, drive: str, tree: Tree) -> None:
        """What the page that leads to this cursor has changed."""
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._journal(way).open("ab") as journal:
            journal.write(_encode(Entry(way.place, drive, tree.drained())) + b"\n")

    def save(self, way: Way, forest: Forest) -> None:
        """The forest at the end of a pass; or in the midst of one, where it comes from elsewhere."""
        if way.over:
            self._put(self._whole(way.place), _entries(forest))
        else:
            self._put(self._journal(way), [Entry(anew=True), *_entries(forest), Entry(way.place)])
        self._tidy()

    def load(self, way: Way) -> Forest | None:
        """The folders as they were at a cursor; None where this machine does not know them."""
        try:
            if way.over:
                return self._forest(way.place)
            return {} if way.listing and way.pages == 0 else self._replayed(way)
        except (OSError, msgspec.MsgspecError):
            return None

    def _forest(self, place: str) -> Forest:
        file = self._whole(place)
        # in use: not thrown away soon
        os.utime(file)
        forest: Forest = {}
        for line in file.read_bytes().splitlines():
            _apply(_entry(line), forest)
        return forest

    def _replayed(self, way: Way) -> Forest | None:
        """Up to the page before the cursor; what was noted behind it was never published, and is cut off."""
        with self._journal(way).open("r+b") as journal:
            anew = way.listing or _entry(journal.readline()).anew
            journal.seek(0)
            forest = {} if anew else self._forest(way.since)
            return forest if _found(journal, way.place, forest) else None

    def _put(self, file: Path, entries: list[Entry]) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        draft = self._directory / f".{secrets.token_hex(8)}"
        try:
            with draft.open("wb") as lines:
                lines.writelines(_encode(entry) + b"\n" for entry in entries)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)

    def _journal(self, way: Way) -> Path:
        return self._directory / (f"listing-{way.config}-{way.pass_}" if way.listing else f"since-{way.since}")

    def _whole(self, place: str) -> Path:
        return self._directory / f"folders-{place}"

    def _tidy(self) -> None:
        with suppress(FileNotFoundError):
            files = sorted(self._directory.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
            for old in files[KEPT:]:
                old.unlink(missing_ok=True)


def _entries(forest: Forest) -> list[Entry]:
    return [Entry("", drive, dict(tree.folders)) for drive, tree in forest.items()]


def _found(journal: BinaryIO, place: str, forest: Forest) -> bool:
    """Take over what was noted, up to a place."""
    while line := journal.readline():
        entry = _entry(line)
        _apply(entry, forest)
        if entry.place == place:
            journal.truncate(journal.tell())
            return True
    return False


def _apply(entry: Entry, forest: Forest) -> None:
    folders = forest.setdefault(entry.drive, Tree()).folders if entry.drive else {}
    for key, folder in entry.folders.items():
        if folder is None:
            folders.pop(key, None)
        else:
            folders[key] = folder
