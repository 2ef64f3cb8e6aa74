"""A page of a delta becomes records: folders first, then every thing by where it stands."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from windrow.connectors.onedrive import permissions, records
from windrow.connectors.onedrive.cursor import Spot
from windrow.connectors.onedrive.folders import Chain, Missing, Tree
from windrow.connectors.onedrive.graph import Denied, Graph
from windrow.connectors.onedrive.records import Record
from windrow.connectors.onedrive.scope import Scope

MOVED = "a folder was moved or renamed, which changes the paths of what is inside"
EMPTIED = "a folder was deleted, and what was inside may be gone with it"
UNKNOWN = "it could not be told where something stands"
_DEEPEST = 1000


@dataclass(slots=True)
class Sheet:
    """What a page came to: records, why everything should be listed because of it, and what could not be read."""

    records: list[Record] = field(default_factory=list)
    doubts: set[str] = field(default_factory=set)
    skipped: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the pages of one drive."""

    graph: Graph
    scope: Scope
    spot: Spot
    tree: Tree
    # in a listing, what is not wanted is left out; elsewhere it may have been wanted before
    listing: bool
    permissions: bool

    async def sheet(self, items: list[Any]) -> Sheet:
        """The records of a page; of a thing that is in it twice, the last one counts."""
        last, nameless = records.latest(items)
        sheet = Sheet(records=[records.nameless(self.spot.drive) for _ in range(nameless)])
        self._plant({key: item for key, item in last.items() if not records.is_gone(item)}, sheet)
        for key, item in last.items():
            if records.is_gone(item):
                self._fell(key, item, sheet)
            else:
                await self._stand(key, item, sheet)
        if self.permissions:
            sheet.skipped = await permissions.add(self.graph, sheet.records)
        return sheet

    def _plant(self, items: dict[str, dict[str, Any]], sheet: Sheet) -> None:
        """The folders of a page, whatever its order: a thing may come before the folder that it is in."""
        for key, item in items.items():
            if records.is_folder(item) and self.tree.put(key, records.folder_of(item)):
                sheet.doubts.add(MOVED)
        for item in items.values():
            self.tree.hold(records.parent_of(item))

    def _fell(self, key: str, item: dict[str, Any], sheet: Sheet) -> None:
        """A thing that is gone. About a folder the listing that follows decides: if it is still there after all, it stays,
        and what is gone with it goes. One that was empty is no exception: something may have moved into it unheard.
        """
        if self.tree.remove(key) is not None or records.is_folder(item):
            sheet.doubts.add(EMPTIED)
            return
        sheet.records.append(records.gone(self.spot.drive, key, item, named=self.scope.is_everything))

    async def _stand(self, key: str, item: dict[str, Any], sheet: Sheet) -> None:
        chain = await self._chain(key, item, sheet)
        names = chain.names if chain else None
        if chain is None:
            wanted = self.scope.is_everything
        else:
            wanted = self.scope.holds(chain, top=self.spot.folder, is_folder=records.is_folder(item))
        if wanted:
            sheet.records.append(records.present(self.spot.drive, key, item, names))
        elif not self.listing and not self._is_above(key):
            sheet.records.append(records.gone(self.spot.drive, key, item, named=False))

    def _is_above(self, key: str) -> bool:
        """Whether it is a folder on the way to the one that the endpoint is about: never wanted, and told with every change."""
        if self.spot.folder is None:
            return False
        down = self.tree.chain(self.spot.folder)
        return isinstance(down, Chain) and key in down.ids

    async def _chain(self, key: str, item: dict[str, Any], sheet: Sheet) -> Chain | None:
        """The way from the top down to a thing; None where a folder on it cannot be had."""
        parent = records.parent_of(item)
        if parent is None:
            return Chain((key,), ()) if records.is_top(item) else None
        above = await self._known(parent, sheet)
        if above is None:
            return None
        return Chain((*above.ids, key), (*above.names, records.name_of(item) or key))

    async def _known(self, key: str, sheet: Sheet) -> Chain | None:
        """The way down to a folder. Those that the delta has not told of yet, or not to us, are asked for."""
        for _ in range(_DEEPEST):
            found = self.tree.chain(key)
            if not isinstance(found, Missing):
                return found
            if found.folder in self.tree.folders or found.folder in self.tree.hidden:
                return None
            await self._ask(found.folder, sheet)
        return None

    async def _ask(self, key: str, sheet: Sheet) -> None:
        path = f"/drives/{quote(self.spot.drive, safe='')}/items/{quote(key, safe='')}"
        found = await self.graph.find(f"{path}?$select=id,name,parentReference,folder,root", "folder")
        if not isinstance(found, Denied) and records.is_folder(found):
            self.tree.put(key, records.folder_of(found)._replace(bare=False))
            return
        self.tree.hidden.add(key)
        # one that we may never see changes nothing by being asked for again
        if not isinstance(found, Denied) or found.status != 403:
            sheet.doubts.add(UNKNOWN)
