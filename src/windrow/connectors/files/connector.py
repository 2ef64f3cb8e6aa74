"""The connector: passes over a directory tree, page by page."""

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.files.config import FilesConfig, Hash
from windrow.connectors.files.folder import Folder
from windrow.connectors.files.links import Links
from windrow.connectors.files.place import Place
from windrow.connectors.files.record import TOP, item
from windrow.connectors.files.root import emptied, open_root, unreadable
from windrow.connectors.files.walk import Record, Walk
from windrow.connectors.spec import LARGEST_PAGE, Capabilities, ConnectorSpec, Deletes, PageSizes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page
from windrow.objects.threads import in_thread

# how long a thread works before it asks whether it should go on
_SECONDS = 0.5
# a tree in which nothing can be read would otherwise fill the log
_MOST_TOLD = 100


class FilesConnector(Connector[FilesConfig]):
    """Lists a directory tree. What a whole pass does not list any more is gone."""

    spec = ConnectorSpec(
        name="files",
        version="1.0.0",
        title="A directory tree on this machine",
        source_system="files",
        config=FilesConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED),
        page_sizes=PageSizes(standard=LARGEST_PAGE),
        path_fields=("path",),
    )

    def __init__(self, config: FilesConfig, context: Context) -> None:
        super().__init__(config, context)
        self._tool = ExecutionTool(self.spec.name, context, concurrency=self.spec.max_concurrency)
        self._told = 0

    async def prepare(self) -> list[Finding]:
        """Whether the directory is there and can be listed, and what is read of its files."""
        entries = await self._tool.call("look", lambda: in_thread(self._entries))
        return [
            Finding("path", well=True, detail=f"{self.config.path} holds {entries} entries at its top"),
            Finding("content", well=True, detail=_read_of_content(self.config)),
        ]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """The rest of a pass. The cursor after its last page is the beginning of the next pass."""
        place = Place.of(cursor)
        # what the thread opens is ours from that moment: who is cancelled meanwhile never sees what it returns
        with ExitStack() as kept:
            walk, place = await self._tool.call("open", lambda: in_thread(self._open, place, kept))
            last = False
            while not last:
                records = await self._gather(walk, page_size)
                last = walk.ended
                begun, place = place, _behind(place, walk, len(records))
                yield Page(
                    records=records,
                    cursor=(place.next_pass() if last else place).cursor(),
                    position=begun.words(),
                    last=last,
                    opens=begun.after is None,
                    whole=last and not place.missed,
                )

    def item(self, record: Any) -> Item:
        """One entry of the tree."""
        return item(record)

    def progress(self, cursor: Cursor) -> int:
        """Passes, and within a pass what was listed of it."""
        return Place.of(cursor).progress

    async def _gather(self, walk: Walk, page_size: int) -> list[Record]:
        records: list[Record] = []
        while len(records) < page_size:
            await self._tool.call("list", lambda: in_thread(walk.take, records, page_size, _SECONDS))
            self._tell(walk)
            if walk.ended:
                break
        return records

    def _tell(self, walk: Walk) -> None:
        for position, reason in walk.skipped:
            self._told += 1
            if self._told <= _MOST_TOLD:
                self.context.say("connector.skipped", position=position, reason=reason)
            elif self._told == _MOST_TOLD + 1:
                self.context.say(
                    "connector.skipped", position=position, reason=f"{reason}; others are not told any more"
                )
        walk.skipped.clear()

    def _open(self, place: Place, kept: ExitStack) -> tuple[Walk, Place]:
        """The walk behind a place, with its top open; and the place, which from now on knows that top."""
        real = self.context.permits.path(self.config.path)
        behind = place.parts()
        top = Folder.top(open_root(real), os.fsencode(real), wanted=not self.config.include, behind=behind or ())
        links = Links(self.context.permits, real) if self.config.follow_links else None
        walk = Walk(top, self.config, links, begins=behind is None)
        kept.callback(walk.close)
        if not _read(top, real) and behind is None and place.held:
            raise emptied(real, place.held)
        inode = str(top.identity[1])
        if place.top not in (None, inode):
            walk.missed = True
            walk.skipped.append((TOP, "another directory has taken its place since the pass began"))
        return walk, replace(place, top=place.top or inode)

    def _entries(self) -> int:
        real = self.context.permits.path(self.config.path)
        with closing(Folder.top(open_root(real), os.fsencode(real), wanted=True, behind=())) as top:
            _read(top, real)
            return len(top.names)


def _read(top: Folder, real: Path) -> bool:
    try:
        return top.read()
    except OSError as error:
        raise unreadable(real, error) from error


def _behind(place: Place, walk: Walk, listed: int) -> Place:
    behind = place.behind(walk.at, listed) if listed else place
    return replace(behind, missed=place.missed or walk.missed)


def _read_of_content(config: FilesConfig) -> str:
    limit = "" if config.hash_limit is None else f", up to {config.hash_limit} bytes a file"
    match config.hash:
        case Hash.NONE:
            return "no content is read: files are known by size and time"
        case Hash.FAST:
            return f"the beginning and the end of each file are read{limit}"
        case Hash.FULL:
            return f"all content is read, at every pass{limit}"
