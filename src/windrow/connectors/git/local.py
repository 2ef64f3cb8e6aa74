"""A repository on this machine, read in place and never written to.

Git is not let into it: a repository's configuration can name programs that git runs. It is given a *view* in our cache
instead, a bare repository with a configuration of ours, whose objects and refs are links to the real ones. So whatever
the repository's configuration says, nobody reads it (but for its object format and the address of `origin`, as data).

Everything that the real one leads to must lie where the operator allows: the repository, the directory that a work tree
shares with others, borrowed objects, and links.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow.connectors.permits import Permits
from windrow.contracts.errors import Code, Fatal, ValidationFailure

_LARGEST_POINTER = 64 * 1024
_MOST_ALTERNATES = 32
_HINT = "`path` is a repository: a work tree, a directory inside of one, or a bare one"


@dataclass(frozen=True, slots=True)
class Located:
    """Where the parts of a repository are. `prefix` is the directory of the work tree that was named, if not all of it."""

    head: Path
    common: Path
    prefix: str

    @property
    def objects(self) -> Path:
        return self.common / "objects"

    @property
    def partial(self) -> bool:
        """Whether objects are missing on purpose (`clone --filter`)."""
        return any((self.objects / "pack").glob("*.promisor"))


def locate(path: str, permits: Permits) -> Located:
    """The repository that holds a path, after all that it leads to was found to be allowed."""
    wanted = permits.path(path)
    if not wanted.is_dir():
        raise ValidationFailure(f"there is no directory {path!r}", code=Code.NOT_FOUND, hint=_HINT)
    for place in (wanted, *wanted.parents):
        found = _at(place, permits)
        if found is not None:
            # in a bare repository there is nothing to be below of
            prefix = "" if found == place else str(wanted.relative_to(place)).removeprefix(".")
            located = Located(found, _common(found, permits), prefix)
            _check_links(located, permits)
            return located
    raise ValidationFailure(f"there is no git repository at {path!r}", code=Code.NOT_FOUND, hint=_HINT)


def _at(place: Path, permits: Permits) -> Path | None:
    """The git directory of a work tree's root, or of a bare repository."""
    dot = place / ".git"
    if dot.is_dir():
        return permits.path(dot)
    if dot.is_file():
        return permits.path(place / _pointer(dot).removeprefix("gitdir:").strip())
    bare = all((place / name).exists() for name in ("HEAD", "objects", "refs"))
    return place if bare else None


def _pointer(file: Path) -> str:
    with file.open("rb") as opened:
        return os.fsdecode(opened.read(_LARGEST_POINTER).strip())


def _common(git_dir: Path, permits: Permits) -> Path:
    shared = git_dir / "commondir"
    return permits.path(git_dir / _pointer(shared)) if shared.is_file() else git_dir


def _check_links(located: Located, permits: Permits) -> None:
    for entry in _entries(located):
        if entry.is_symlink():
            permits.path(entry)
    _check_alternates(permits.path(located.objects), permits, set())


def _entries(located: Located) -> Iterator[Path]:
    """What git opens by name, and the directories in which it opens whatever it finds."""
    yield located.head / "HEAD"
    for name in ("packed-refs", "shallow", "config", "objects", "refs", "refs/heads", "refs/tags", "reftable"):
        yield located.common / name
    for directory in (located.objects, located.objects / "pack", located.objects / "info"):
        if directory.is_dir():
            yield from directory.iterdir()


def _check_alternates(objects: Path, permits: Permits, seen: set[Path]) -> None:
    """Objects that are borrowed from other repositories, which may borrow in turn."""
    seen.add(objects)
    listed = objects / "info" / "alternates"
    if not listed.is_file():
        return
    for line in _pointer(listed).splitlines():
        if not line or line.startswith("#"):
            continue
        # git would unquote it, and what it means then is not what we checked
        if line.startswith('"') or len(seen) > _MOST_ALTERNATES:
            raise Fatal(
                "the repository borrows objects in a way that is not followed",
                code=Code.FORBIDDEN,
                hint="give it its own objects: `git repack -a -d && rm .git/objects/info/alternates`",
            )
        borrowed = permits.path(objects / line)
        if borrowed not in seen:
            _check_alternates(borrowed, permits, seen)
