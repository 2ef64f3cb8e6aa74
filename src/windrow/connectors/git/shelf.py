"""The lists in our cache: written whole or not at all, kept while a cursor may still need them."""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from windrow.connectors.git.entries import Entry

# a pass needs the lists of two commits, three of each; more are kept for cursors that somebody sets back
KEPT = 24

E = TypeVar("E", bound=Entry)
_NAME = re.compile(r"[a-z0-9-]{1,160}", re.ASCII)
_encode = msgspec.json.Encoder().encode


class Shelf:
    """A directory of lists."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def holds(self, name: str) -> bool:
        """Whether a list is there; if so, it is not thrown away soon."""
        try:
            os.utime(self._file(name))
        except FileNotFoundError:
            return False
        return True

    def read(self, name: str, kind: type[E]) -> Iterator[E]:
        """A list, entry by entry."""
        decode = msgspec.json.Decoder(kind).decode
        with self._file(name).open("rb") as lines:
            for line in lines:
                yield decode(line)

    def write(self, name: str, entries: Iterable[Entry]) -> None:
        """Put a list there, and throw away the oldest."""
        self._place.mkdir(parents=True, exist_ok=True)
        draft = self._place / f".{secrets.token_hex(8)}"
        try:
            with draft.open("wb") as lines:
                for entry in entries:
                    lines.write(_encode(entry) + b"\n")
            draft.replace(self._file(name))
        finally:
            draft.unlink(missing_ok=True)
        self._tidy()

    def _tidy(self) -> None:
        lists = [file for file in self._place.iterdir() if _NAME.fullmatch(file.name)]
        with suppress(FileNotFoundError):
            lists.sort(key=lambda file: file.stat().st_mtime, reverse=True)
        for old in lists[KEPT:]:
            old.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        assert _NAME.fullmatch(name), "names of lists are made of hashes"
        return self._place / name
