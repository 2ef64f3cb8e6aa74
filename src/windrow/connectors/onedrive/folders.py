"""The folders of a drive, as far as the delta has told of them: what is in which, under which name.

A delta tells an item's parent by id and no path, and a renamed folder changes the paths of all that is inside without a
word about them. So the folders are kept, and whoever puts one learns whether it has moved.
"""

from typing import NamedTuple

# deeper than any drive allows: a chain that is longer leads in a circle
_DEEPEST = 1000


class Folder(NamedTuple):
    """A folder by its parent and its name. `bare`: nothing was ever seen in it. The top has no parent."""

    parent: str | None
    name: str
    bare: bool = False


class Missing(NamedTuple):
    """The first folder on the way up that is not known."""

    folder: str


class Chain(NamedTuple):
    """The way down to a folder: ids and names, without the top's."""

    ids: tuple[str, ...]
    names: tuple[str, ...]


class Tree:
    """The folders of one drive, and which of them have changed since somebody asked."""

    def __init__(self, folders: dict[str, Folder] | None = None) -> None:
        self.folders = folders or {}
        # asked for in vain: once is enough
        self.hidden: set[str] = set()
        self._changed: dict[str, Folder | None] = {}

    def put(self, key: str, folder: Folder) -> bool:
        """A folder as it is now; whether the paths of things inside have changed by it."""
        before = self.folders.get(key)
        if before == folder:
            return False
        self.folders[key] = self._changed[key] = folder
        if before is None or (before.parent, before.name) == (folder.parent, folder.name):
            return False
        return not (before.bare and folder.bare)

    def remove(self, key: str) -> Folder | None:
        """What the folder was; None if it was not known."""
        before = self.folders.pop(key, None)
        if before:
            self._changed[key] = None
        return before

    def hold(self, key: str | None) -> None:
        """There is something in a folder."""
        if key is not None and (found := self.folders.get(key)) and found.bare:
            self.folders[key] = self._changed[key] = found._replace(bare=False)

    def chain(self, key: str) -> Chain | Missing:
        """The way from the top to a folder."""
        ids: list[str] = []
        names: list[str] = []
        at: str | None = key
        while at is not None:
            found = self.folders.get(at)
            if found is None or len(ids) > _DEEPEST:
                return Missing(at)
            ids.append(at)
            names.append(found.name)
            at = found.parent
        return Chain(tuple(reversed(ids)), tuple(reversed(names))[1:])

    def drained(self) -> dict[str, Folder | None]:
        """What has changed since the last time; None for what is gone."""
        changed, self._changed = self._changed, {}
        return changed
