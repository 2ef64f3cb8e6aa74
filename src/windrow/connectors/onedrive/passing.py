"""A pass over the drives of an endpoint, page by page: what to begin with, what a page leads to, and what follows a pass.

What has changed is told by the delta of each drive. Everything is listed instead, all drives in one listing, where the
delta is not enough: a token was forgotten by the source, folders have moved or gone, or a day has passed.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from msgspec.structs import replace

from windrow.connectors.context import Context
from windrow.connectors.onedrive import drives, lending
from windrow.connectors.onedrive.archive import Archive, Forest
from windrow.connectors.onedrive.config import OneDriveConfig
from windrow.connectors.onedrive.cursor import Spot, Way, fingerprint, first, hour_of
from windrow.connectors.onedrive.drives import Drive
from windrow.connectors.onedrive.folders import Tree
from windrow.connectors.onedrive.graph import Denied, Graph, Resync
from windrow.connectors.onedrive.reading import Reader
from windrow.connectors.onedrive.records import Record
from windrow.connectors.onedrive.scope import Scope
from windrow.contracts.errors import RetryableTransient
from windrow.contracts.page import Cursor, Page

# a change of what items look like makes everything be listed anew
FORM = 1
_FORGOTTEN = "the source does not know any more what has changed since the last pass"
# so many are told one by one
_MOST_TOLD = 100


@dataclass(slots=True)
class Passing:
    """The passes of one endpoint, for as long as its connector is open."""

    graph: Graph
    config: OneDriveConfig
    context: Context
    archive: Archive
    scope: Scope
    forest: Forest = field(default_factory=dict)
    _found: list[Drive] | None = None
    _spots: tuple[Spot, ...] = ()
    # the cursor that the folders belong to, while no page is being read
    _standing: Way | None = None
    _told: int = 0

    async def drives(self) -> list[Drive]:
        """The drives, asked for once."""
        if self._found is None:
            self._found = await drives.drives(self.graph, self.config)
        return self._found

    async def spots(self) -> tuple[Spot, ...]:
        """Where to begin in each of them, asked for once."""
        self._spots = self._spots or await drives.spots(self.graph, self.config, await self.drives())
        return self._spots

    async def pages(self, cursor: Cursor, before: Way | None, size: int) -> AsyncGenerator[Page, None]:
        """The pages behind a cursor, up to the last one. The source may forget where we were, but not twice."""
        way = await self._begun(before)
        forgotten = False
        while True:
            try:
                records, after = await self._turn(way, size)
            except Resync:
                if forgotten:
                    raise RetryableTransient("the source forgets again and again what it has told") from None
                forgotten = True
                way = await self._anew(way, _FORGOTTEN, follows=way.follows)
                continue
            ended = after.at == len(after.drives)
            if ended and not records and _is_where_it_was(before, after):
                yield Page(records=(), cursor=cursor, position="nothing has changed", last=True)
                return
            following = self._standing = await self._following(after) if ended else after
            yield Page(
                records=records,
                cursor=following.written(),
                position=_position(way),
                last=following.over,
                opens=way.listing and way.pages == 0,
                whole=way.listing and ended and not after.flawed,
            )
            if following.over:
                return
            way, self._standing = following, None

    async def lend(self) -> None:
        """Let other machines know the folders, if they are all known and belong to a cursor."""
        standing = self._standing
        if standing is not None and not standing.blind and not standing.doubt and standing.pages:
            await lending.lend(self.context.notes, standing.place, self.forest)

    async def _begun(self, way: Way | None) -> Way:
        """The pass that is under way, or the next one."""
        self.forest, self._standing = {}, None
        if way is not None and not way.over and way.config == self._configured:
            return await self._resumed(way)
        spots = await self.spots()
        reason = await self._why_everything(way, spots)
        if way is None or reason:
            if reason:
                self.context.say("onedrive.relisted", reason=reason)
            begun = first(self._configured, spots, self._hour, number=way.pass_ + 1 if way else 1)
        else:
            begun = way.again()
        await asyncio.to_thread(self.archive.begin, begun)
        return begun

    async def _resumed(self, way: Way) -> Way:
        found = await self._known(way)
        if way.pages == 0:
            await asyncio.to_thread(self.archive.begin, way)
        self.forest = found or {}
        # without them the pass goes on, and asks for the folders that it meets; the next one lists everything
        return way if found is not None else replace(way, blind=True)

    async def _why_everything(self, way: Way | None, spots: tuple[Spot, ...]) -> str | None:
        """Why it is not enough to ask what has changed since a pass."""
        if way is None:
            return None
        if way.config != self._configured:
            return "the configuration is another one"
        if [(spot.drive, spot.folder) for spot in way.drives] != [(spot.drive, spot.folder) for spot in spots]:
            return "the drives or their folders are others"
        if way.doubt:
            return "in the last pass, folders have moved or could not all be known"
        if self._hour - way.listed >= self.config.relist_hours:
            return f"the last listing of everything was {self._hour - way.listed} hours ago"
        found = await self._known(way)
        if found is None:
            return "the folders of the last pass are not known to this machine"
        self.forest = found
        return None

    async def _known(self, way: Way) -> Forest | None:
        """The folders at a cursor: from this machine, or from whoever has lent them."""
        found = await asyncio.to_thread(self.archive.load, way)
        if found is None and (found := await lending.borrow(self.context.notes, way.place)) is not None:
            await asyncio.to_thread(self.archive.save, way, found)
        return found

    async def _anew(self, way: Way, reason: str, *, follows: bool = False) -> Way:
        self.context.say("onedrive.relisted", reason=reason)
        self.forest = {}
        begun = way.anew(self._hour, follows=follows)
        await asyncio.to_thread(self.archive.begin, begun)
        return begun

    async def _following(self, way: Way) -> Way:
        """Behind the last page of a pass: its end, or once in a run, a listing of everything."""
        if way.doubt and not way.follows:
            return await self._anew(way, "in this pass, folders have moved or gone", follows=True)
        ended = way.ended()
        if not way.blind:
            await asyncio.to_thread(self.archive.save, ended, self.forest)
        return ended

    async def _turn(self, way: Way, size: int) -> tuple[list[Record], Way]:
        """The next page that holds something, or ends the pass; and the cursor behind it."""
        while True:
            at = way.at
            assert at is not None
            spot = way.drives[at]
            found = await self.graph.delta(spot.drive, spot.link, size)
            if isinstance(found, Denied):
                way, records = self._without(spot, found, way), list[Record]()
            else:
                tree = self.forest.setdefault(spot.drive, Tree())
                reader = Reader(self.graph, self.scope, spot, tree, way.listing, self.config.permissions)
                sheet = await reader.sheet(found.items)
                self._tell(sheet.skipped)
                records = sheet.records
                way = way.behind(found.link, ended=found.ended, doubt=bool(sheet.doubts))
                await asyncio.to_thread(self.archive.note, way, spot.drive, tree)
            if records or way.at in (at, len(way.drives)):
                return records, way

    def _without(self, spot: Spot, denied: Denied, way: Way) -> Way:
        """A drive that cannot be read is passed over where there are others; then nothing is taken for deleted."""
        if len(way.drives) == 1:
            raise drives.unreadable("the drive", denied)
        self._tell([(f"drive {spot.drive}", str(denied))])
        return way.past()

    def _tell(self, skipped: list[tuple[str, str]]) -> None:
        for position, reason in skipped:
            self._told += 1
            more = "; others are not told any more" if self._told > _MOST_TOLD else ""
            if self._told <= _MOST_TOLD + 1:
                self.context.say("connector.skipped", position=position, reason=reason + more)

    @property
    def _configured(self) -> str:
        return fingerprint([FORM, self.config.meaning])

    @property
    def _hour(self) -> int:
        return hour_of(self.context.now().timestamp())


def _is_where_it_was(before: Way | None, after: Way) -> bool:
    """Whether a pass over changes has ended where it began."""
    if before is None or not before.over or after.listing or after.doubt:
        return False
    return after.drives == before.drives


def _position(way: Way) -> str:
    what = "listing" if way.listing else "changes"
    return f"pass {way.pass_} ({what}): drive {(way.at or 0) + 1} of {len(way.drives)}, page {way.pages + 1}"
