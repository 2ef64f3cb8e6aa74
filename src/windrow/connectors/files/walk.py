"""The walk through a tree: a directory, then all that is inside it, then the next name; names in the order of their bytes.

That is the order of the paths as lists of names, so that the rest behind any path can be found from the path alone,
whether it is still there or not. Of a large directory only the names are in memory, never what is known about them.

The walk is a generator that pauses often (it gives None then), so that whoever drives it in a thread can leave it
between two pieces of work.
"""

import os
import stat
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from windrow.connectors.files.config import DEEPEST, FilesConfig
from windrow.connectors.files.content import Changed, content
from windrow.connectors.files.folder import Entry, Folder
from windrow.connectors.files.links import Followed, Links
from windrow.connectors.files.naming import named
from windrow.connectors.files.owners import Owners
from windrow.connectors.files.record import identifier, record
from windrow.connectors.files.rules import Rules
from windrow.connectors.files.tree import CHANGED, OURS, in_words
from windrow.contracts.errors import Code, RetryableTransient

_TRIES = 3

Record = dict[str, Any]
Steps = Generator[Record | None, None, None]


class Walk:
    """One pass over a tree, from where its top is to be resumed to its end.

    `at` is the path of the latest record, `skipped` what was passed over and why, since somebody last looked, and
    `missed` whether anything in the tree, known or not, is left out because of that.
    """

    def __init__(self, top: Folder, config: FilesConfig, links: Links | None, *, begins: bool) -> None:
        self.at = b""
        self.missed = False
        self.skipped: list[tuple[str, str]] = []
        self._config, self._links, self._owners = config, links, Owners()
        self._rules = Rules(include=config.include, exclude=config.exclude, hidden=config.hidden)
        self._folders = [top]
        self._steps = self._walk(begins=begins)
        self._between_two = True

    @property
    def ended(self) -> bool:
        """Whether nothing is left to look at."""
        return self._between_two and not any(folder.names for folder in self._folders)

    def take(self, into: list[Record], upto: int, seconds: float) -> None:
        """Go on until so many records are gathered, the time is over or the walk ends. Blocks: for a thread."""
        until = time.monotonic() + seconds
        for found in self._steps:
            self._between_two = found is not None
            if found is not None:
                into.append(found)
            if len(into) >= upto or time.monotonic() > until:
                return
        self._between_two = True

    def close(self) -> None:
        """Give every directory back."""
        self._steps.close()
        while self._folders:
            self._folders.pop().close()

    def _walk(self, *, begins: bool) -> Steps:
        if begins:
            top = self._folders[0]
            yield record(b"", top.real.rpartition(b"/")[2] or b"/", os.fstat(top.descriptor), self._owners)
        while self._folders:
            if self._folders[-1].names:
                yield from self._visit(self._folders[-1].next())
                yield None
            else:
                self._folders.pop().close()

    def _visit(self, entry: Entry) -> Steps:
        """Whatever a name stands for; looked at again if it becomes something else under our eyes."""
        for _ in range(_TRIES):
            try:
                yield from self._look(entry)
            except Changed:
                continue
            except FileNotFoundError:
                return  # gone since its name was read
            except OSError as error:
                if error.errno in CHANGED:
                    continue
                self._failed(entry, error)
            return
        self._miss(entry, "it becomes something else whenever it is looked at")

    def _look(self, entry: Entry) -> Steps:
        status = entry.spot.status()
        # links behind a link stay links: with two in each of thirty directories, a tree would never end
        if not stat.S_ISLNK(status.st_mode) or self._links is None or entry.linked:
            yield from self._examine(entry, status)
            return
        target = named(entry.spot.target())
        with self._links.followed(entry.real) as end:
            if isinstance(end, Followed):
                yield from self._behind_link(entry, end, target)
                return
            if end and not self._rules.exclude(entry.parts, folder=False):
                self._tell(entry, end)
        yield from self._examine(entry, status)

    def _behind_link(self, entry: Entry, end: Followed, target: str) -> Steps:
        try:
            found = replace(entry, spot=end.spot, real=end.real, linked=True, target=target)
            yield from self._examine(found, end.status)
        except FileNotFoundError as error:
            raise Changed from error  # the link itself is still there

    def _examine(self, entry: Entry, status: os.stat_result) -> Steps:
        is_folder = stat.S_ISDIR(status.st_mode)
        if self._rules.exclude(entry.parts, folder=is_folder):
            return
        wanted = entry.wanted or self._rules.include(entry.parts, folder=is_folder)
        if is_folder:
            unread = self._enter(entry, wanted=wanted)
            if wanted and not entry.listed:
                yield self._found(entry, status, unread=unread)
        elif wanted and not entry.listed:
            yield from self._leaf(entry, status)

    def _leaf(self, entry: Entry, status: os.stat_result) -> Steps:
        match stat.S_IFMT(status.st_mode):
            case stat.S_IFREG:
                read = yield from content(entry.spot, status, self._config.hash, self._config.hash_limit)
                if read.unread:
                    self._tell(entry, read.unread)
                yield self._found(entry, read.status, unread=read.unread, **read.hashes)
            case stat.S_IFLNK:
                yield self._found(entry, status, target=named(entry.spot.target()))
            case _:
                yield self._found(entry, status)

    def _enter(self, entry: Entry, *, wanted: bool) -> str | None:
        """Go into a directory, if there is something for us in it; what keeps us from it, if anything does."""
        deepest = self._config.max_depth
        if (deepest and len(entry.parts) >= deepest) or not (wanted or self._rules.reach_below(entry.parts)):
            return None
        if len(self._folders) >= DEEPEST:
            return self._miss(entry, f"it is more than {DEEPEST} levels deep")
        try:
            folder = Folder.below(entry, wanted=wanted)
            self._folders.append(folder)
            if any(folder.identity == above.identity for above in self._folders[:-1]):
                # all of it is listed already, where it is not inside itself
                return self._tell(entry, "it is one of the directories that it is in")
            folder.read()
        except OSError as error:
            if error.errno in CHANGED | OURS or isinstance(error, FileNotFoundError):
                raise
            return self._miss(entry, in_words(error))
        return None

    def _found(self, entry: Entry, status: os.stat_result, **more: Any) -> Record:
        self.at = entry.path
        return record(
            entry.path, entry.path.rpartition(b"/")[2], status, self._owners, **{"target": entry.target, **more}
        )

    def _failed(self, entry: Entry, error: OSError) -> None:
        if error.errno in OURS:
            raise RetryableTransient(
                f"the machine is at its limits: {in_words(error)}",
                code=Code.STORAGE_UNAVAILABLE,
                hint="let the process have more open files, or memory",
            ) from error
        # what would be left out anyhow, whatever it is, is not missed
        if not all(self._rules.exclude(entry.parts, folder=folder) for folder in (True, False)):
            self._miss(entry, in_words(error))

    def _miss(self, entry: Entry, reason: str) -> str:
        self.missed = True
        return self._tell(entry, reason)

    def _tell(self, entry: Entry, reason: str) -> str:
        self.skipped.append((identifier(entry.path), reason))
        return reason
