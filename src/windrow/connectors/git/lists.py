"""Makes the lists of a snapshot: files with what the history says of them, commits, and their authors."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256

from windrow.connectors.files.naming import escaped
from windrow.connectors.git.config import Entity, GitConfig
from windrow.connectors.git.entries import KINDS, AuthorEntry, CommitEntry, Entry, FileEntry
from windrow.connectors.git.filters import Filter
from windrow.connectors.git.history import NEVER, History, Past, seconds
from windrow.connectors.git.naming import author_name
from windrow.connectors.git.repository import Repository
from windrow.connectors.git.shelf import Shelf
from windrow.contracts.errors import Code, ValidationFailure

_TREE = re.compile(rb"(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-|BAD)\t(.+)", re.DOTALL)
_COMMIT = "%H%x00%aE%x00%aN%x00%cE%x00%cN%x00%ct"
_FIELDS = 6
_LARGEST_SHALLOW = 16 * 1024 * 1024


class Lists:
    """The lists of one endpoint. `config` names what they depend on beside the commit."""

    def __init__(self, repository: Repository, shelf: Shelf, wanted: GitConfig, config: str) -> None:
        self._repository, self._shelf, self._wanted, self._config = repository, shelf, wanted, config

    def has(self, tip: str | None) -> bool:
        """Whether all lists of a tip are there, whatever became of its commit."""
        kinds = set(self._wanted.entities) - {Entity.BRANCH, Entity.TAG}
        return tip is None or all(self._shelf.holds(self._name(kind, tip)) for kind in kinds)

    async def read(self, entity: Entity, tip: str | None, base: str | None = None) -> Iterable[Entry]:
        """A list, made if it is not there yet; with the help of another tip's, if that is there."""
        if tip is None:
            return ()
        if not self._shelf.holds(self._name(entity, tip)):
            if entity is Entity.FILE:
                await self._list_files(tip, base)
            else:
                await self._list_commits(tip)
        return self._shelf.read(self._name(entity, tip), KINDS[entity])

    async def _list_files(self, tip: str, base: str | None) -> None:
        tree = Tree(Filter(self._wanted.include, self._wanted.exclude), most=self._repository.git.limits.files)
        await self._repository.tree(tip, tree.take)
        known: dict[bytes, Past] = {}
        if self._wanted.file_history:
            known = await self._history(tree, tip, await self._usable(tip, base))
        self._shelf.write(self._name(Entity.FILE, tip), tree.entries(known))

    async def _usable(self, tip: str, base: str | None) -> str | None:
        """A tip whose list spares us most of the walk: an ancestor."""
        if base is None or not self._shelf.holds(self._name(Entity.FILE, base)):
            return None
        there = await self._repository.has(base) and await self._repository.precedes(base, tip)
        return base if there else None

    async def _history(self, tree: "Tree", tip: str, base: str | None) -> dict[bytes, Past]:
        history = History(tree.found, self._shallow())
        await self._repository.touched(tip, base, history.take)
        if base is not None:
            for entry in self._shelf.read(self._name(Entity.FILE, base), FileEntry):
                if entry.path in tree.found:
                    history.paths.setdefault(entry.path, Past()).lay_over(_past(entry))
        return history.paths

    def _shallow(self) -> frozenset[str]:
        file = self._repository.git_dir / "shallow"
        if not file.is_file():
            return frozenset()
        with file.open("rb") as opened:
            return frozenset(opened.read(_LARGEST_SHALLOW).decode("ascii", "replace").split())

    async def _list_commits(self, tip: str) -> None:
        people = People()
        await self._repository.commits(tip, self._bounds(), _COMMIT, people.take)
        self._shelf.write(self._name(Entity.COMMIT, tip), people.commits())
        self._shelf.write(self._name(Entity.AUTHOR, tip), people.authors())

    def _bounds(self) -> list[str]:
        bounds = [] if self._wanted.max_commits is None else [f"--max-count={self._wanted.max_commits}"]
        if (day := self._wanted.since) is not None:
            bounds.append(f"--max-age={int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())}")
        return bounds

    def _name(self, entity: Entity, tip: str) -> str:
        return f"{entity}-{tip}-{self._config}"


class Tree:
    """Takes in `git ls-tree -r -l -z`."""

    def __init__(self, wanted: Filter, *, most: int) -> None:
        self._wanted, self._most = wanted, most
        self.found: dict[bytes, tuple[str, str, int | None]] = {}

    def take(self, tokens: list[bytes]) -> None:
        for token in tokens:
            line = _TREE.fullmatch(token)
            if line and self._wanted.lists(line[4]):
                size = int(line[3]) if line[3].isdigit() else None
                self.found[line[4]] = (line[1].decode(), line[2].decode(), size)
        if len(self.found) > self._most:
            raise ValidationFailure(
                f"the repository has more than {self._most} files",
                code=Code.TOO_LARGE,
                hint="choose fewer with include and exclude, or leave out the entity `file`",
            )

    def entries(self, known: dict[bytes, Past]) -> Iterator[FileEntry]:
        """The files by path. A tree that somebody has put together by hand may not be in order."""
        for path in sorted(self.found):
            mode, sha, size = self.found[path]
            past = known.get(path) or Past()
            yield FileEntry(
                path.decode("latin-1"),
                mode,
                sha,
                size,
                *past.changed,
                past.added[0],
                past.came_from.decode("latin-1"),
            )


def _past(entry: FileEntry) -> Past:
    """What a list knew. Of the commit that added a file only the time is kept, which is enough to be overtaken."""
    added = (entry.added_at, "")
    renamed_from = entry.renamed_from.encode("latin-1")
    return Past((entry.last_at, entry.last), added, added if renamed_from else NEVER, renamed_from)


class People:
    """Takes in the commits with those who made them."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._commits: dict[str, str] = {}
        self._authors: dict[str, tuple[int, str, str]] = {}

    def take(self, tokens: list[bytes]) -> None:
        fields = self._rest + tokens
        whole = len(fields) - len(fields) % _FIELDS
        for at in range(0, whole, _FIELDS):
            self._commit(*fields[at : at + _FIELDS])
        self._rest = fields[whole:]

    def _commit(self, sha: bytes, email: bytes, name: bytes, committer: bytes, called: bytes, at: bytes) -> None:
        commit = sha.decode("ascii")
        self._commits[commit] = sha256(b"\0".join((email, name, committer, called))).hexdigest()[:16]
        key = author_name(email, name)
        when = seconds(at.decode("ascii", "replace"))
        # children come before their parents, so of two commits of one second the first is the later one
        if key not in self._authors or when > self._authors[key][0]:
            self._authors[key] = (when, escaped(name.strip()), escaped(email.strip()))

    def commits(self) -> Iterator[CommitEntry]:
        return (CommitEntry(sha, people) for sha, people in sorted(self._commits.items()))

    def authors(self) -> Iterator[AuthorEntry]:
        for key, (_, name, email) in sorted(self._authors.items()):
            yield AuthorEntry(key, name, email)
