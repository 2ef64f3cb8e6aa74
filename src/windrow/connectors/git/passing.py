"""A pass: the way from the snapshot that was harvested last to the one that is there now, page by page."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice

from windrow.connectors.git.config import Entity
from windrow.connectors.git.cursor import Way
from windrow.connectors.git.entries import Change, Entry, RefEntry, changes
from windrow.connectors.git.failures import GitFailed
from windrow.connectors.git.forge import forge
from windrow.connectors.git.lists import Lists
from windrow.connectors.git.records import describe
from windrow.connectors.git.repository import Repository
from windrow.connectors.git.shelf import Shelf
from windrow.connectors.git.snapshot import Snapshot, unpacked
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over one repository, from where the cursor stands to its end."""

    repository: Repository
    lists: Lists
    shelf: Shelf
    entities: tuple[Entity, ...]
    way: Way

    async def pages(self, size: int) -> AsyncGenerator[Page, None]:
        """The pages that are left. Each is asked for when it is due; a pass with nothing to tell is one empty page."""
        async with aclosing(self._pages(size)) as left:
            try:
                async for page in left:
                    yield page
            except GitFailed as error:
                tip = self.way.now.tip
                if tip is None or await self.repository.has(tip):
                    raise
                # the next attempt begins anew, with what is there then
                raise RetryableTransient(
                    f"the commit {tip[:12]} went away while it was read", code=Code.UNAVAILABLE
                ) from error

    async def _pages(self, size: int) -> AsyncGenerator[Page, None]:
        way, opens = self.way, self.way.done == 0 and self.way.phase is self.entities[0]
        listing = way.before is None
        async with aclosing(self._changes()) as left:
            ahead = await anext(left, None)
            while True:
                taken: list[Change] = []
                while ahead is not None and len(taken) < size:
                    taken.append(ahead)
                    ahead = await anext(left, None)
                last = ahead is None
                began, way = way, way.over() if last else _after(way, taken)
                yield Page(
                    records=await describe(taken, self.repository, self.way.now, forge(self.repository.web)),
                    cursor=way.written(),
                    position=f"pass {began.pass_}: {began.phase} {began.done}, and {len(taken)} more",
                    last=last,
                    opens=opens and listing,
                    whole=last and listing,
                    snapshot=began.named,
                )
                if last:
                    return
                opens = False

    async def _changes(self) -> AsyncGenerator[Change, None]:
        begun = False
        for entity in self.entities:
            begun = begun or entity is self.way.phase
            if not begun:
                continue
            old = await self._entries(entity, self.way.before, None)
            new = await self._entries(entity, self.way.now, self.way.before)
            done = self.way.done if entity is self.way.phase else 0
            for change in islice(changes(entity, old, new), done, None):
                yield change

    async def _entries(self, entity: Entity, moment: Snapshot | None, before: Snapshot | None) -> Iterable[Entry]:
        if moment is None:
            return ()
        if entity in (Entity.BRANCH, Entity.TAG):
            refs = unpacked(moment.refs, self.shelf) or {}
            return [RefEntry(name, sha) for name, sha in sorted(refs.get(entity, {}).items())]
        return await self.lists.read(entity, moment.tip, before.tip if before else None)


def _after(way: Way, taken: list[Change]) -> Way:
    """The cursor behind these changes."""
    phase = taken[-1].entity
    of_phase = sum(change.entity is phase for change in taken)
    return way.at(phase, of_phase + (way.done if phase is way.phase else 0))
