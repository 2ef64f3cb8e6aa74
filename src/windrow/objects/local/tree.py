"""A tenant's directory, walked by descriptors from the root: no symbolic link inside it is ever followed."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from windrow.contracts.errors import Code, Fatal

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PRIVATE = 0o700
# not waiting: a pipe must not hold the reader up
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_FILE = {errno.ENOENT, errno.ELOOP, errno.ENXIO}


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something lies in a tree: the folders that lead to it, and its name there."""

    folders: tuple[str, ...]
    name: str


def spot_of(key: str, *above: str) -> Spot:
    """The spot of a key: in the tree that is as deep as the key has segments."""
    *folders, name = key.split("/")
    return Spot((*above, str(len(folders) + 1), *folders), name)


class Tree:
    """The directory of one tenant: below the root, or the root itself where that is not shared.

    `patience` is how many seconds a writer waits for another one's lock in it.
    """

    def __init__(self, root: Path, tenant_id: str | None, patience: float) -> None:
        self._root, self._above = root, (tenant_id,) if tenant_id else ()
        self.patience = patience

    @contextmanager
    def opened(self, *folders: str) -> Iterator[int]:
        """The descriptor of a folder, else `FileNotFoundError`; what is not a folder counts as not there."""
        try:
            folder = self._walk(folders, _enter)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise FileNotFoundError(errno.ENOENT, "no such folder", "/".join(folders)) from error
            raise
        with _closing(folder):
            yield folder

    @contextmanager
    def made(self, *folders: str) -> Iterator[int]:
        """The descriptor of a folder, made where it is missing."""
        try:
            _make_root(self._root)
            folder = self._walk(folders, _make)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EEXIST):
                raise Fatal(
                    f"what stands in the object store at {'/'.join(folders)!r} is not a directory",
                    code=Code.CORRUPTED,
                    hint=f"look below {self._root.joinpath(*self._above)} and take it away",
                ) from error
            raise
        with _closing(folder):
            yield folder

    def sync(self, *folders: str) -> None:
        """Make durable what changed in a folder, and the way to it: another process may have made part of that just now."""
        with _closing(self._walk(folders, _enter_synced)) as folder:
            os.fsync(folder)

    def open_file(self, spot: Spot) -> int | None:
        """A regular file to read, or None; links, pipes and whatever else a stranger put there are none."""
        try:
            with self.opened(*spot.folders) as folder:
                file = os.open(spot.name, _FILE, dir_fd=folder)
        except OSError as error:
            if error.errno in _NO_FILE:
                return None
            raise
        if stat.S_ISREG(os.fstat(file).st_mode):
            return file
        os.close(file)
        return None

    def _walk(self, folders: tuple[str, ...], step: Callable[[str, int], int]) -> int:
        # the root is the operator's and may be a link; below it none may
        here = os.open(self._root, _FOLDER)
        for name in (*self._above, *folders):
            with _closing(here):
                here = step(name, here)
        return here


def _make_root(root: Path) -> None:
    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    root.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    for folder in missing:
        with _closing(os.open(folder.parent, _FOLDER)) as above:
            os.fsync(above)


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _enter(name: str, above: int) -> int:
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)


def _enter_synced(name: str, above: int) -> int:
    os.fsync(above)
    return _enter(name, above)


def _make(name: str, above: int) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, _PRIVATE, dir_fd=above)
    return _enter(name, above)
