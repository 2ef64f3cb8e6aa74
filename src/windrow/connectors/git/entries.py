"""What a snapshot of a repository consists of: sorted lists of entries, each just enough to see that something changed.

They are kept in our cache as lines of JSON. All but the refs can be made again from the commit that they belong to.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from windrow.connectors.git.config import Entity


class Entry(Struct, frozen=True, array_like=True):
    """One thing of a list. Lists are sorted by `key`, and an entry that is equal has not changed."""

    key: str


class FileEntry(Entry, frozen=True, array_like=True):
    """A file; paths are bytes, written as the characters of the same numbers, which keeps their order."""

    mode: str
    sha: str
    size: int | None
    last_at: int
    last: str
    added_at: int
    renamed_from: str

    @property
    def path(self) -> bytes:
        return self.key.encode("latin-1")


class CommitEntry(Entry, frozen=True, array_like=True):
    """A commit by its SHA; `people` changes when the mailmap gives its author or committer another name."""

    people: str


class AuthorEntry(Entry, frozen=True, array_like=True):
    """An author by what tells them from the others, with the name that they used last."""

    name: str
    email: str


class RefEntry(Entry, frozen=True, array_like=True):
    """A branch or tag by its name, and the object that it points to."""

    sha: str


KINDS: dict[Entity, type[Entry]] = {
    Entity.FILE: FileEntry,
    Entity.COMMIT: CommitEntry,
    Entity.AUTHOR: AuthorEntry,
    Entity.BRANCH: RefEntry,
    Entity.TAG: RefEntry,
}

E = TypeVar("E", bound=Entry)


class Change(Struct, frozen=True):
    """An entry that is new or different, or one that is `gone`."""

    entity: Entity
    entry: Entry
    gone: bool = False


def changes(entity: Entity, old: Iterable[E], new: Iterable[E]) -> Iterator[Change]:
    """What makes the new list of the old one, in order. Both are read once, side by side."""
    before, after = iter(old), iter(new)
    was, now = next(before, None), next(after, None)
    while was is not None or now is not None:
        if now is None or (was is not None and was.key < now.key):
            assert was is not None
            yield Change(entity, was, gone=True)
            was = next(before, None)
        elif was is None or now.key < was.key:
            yield Change(entity, now)
            now = next(after, None)
        else:
            if was != now:
                yield Change(entity, now)
            was, now = next(before, None), next(after, None)
