"""A file under way: written apart from the objects, made durable, and then named in one step.

Its writer holds a lock on it for as long as it lives, so that the sweep can tell what a dead one left.
"""

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from windrow.objects.local.tree import Tree
from windrow.objects.local.versions import etag_of

FOLDER = ".drafts"
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Draft:
    """An unnamed object. `begin` gives one; it ends by `close`, and leaves nothing unless it was placed."""

    def __init__(self, folder: int, name: str, file: int) -> None:
        self._folder, self._name, self._file = folder, name, file

    @classmethod
    def begin(cls, tree: Tree) -> "Draft":
        with tree.made(FOLDER) as made:
            while True:
                name = uuid.uuid4().hex
                file = os.open(name, _CREATE, 0o600, dir_fd=made)
                if _locked(file) and os.fstat(file).st_nlink:
                    return cls(os.dup(made), name, file)
                # the sweep came by between the two calls and took it for a leftover
                os.close(file)

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._file, left) :]

    def copy_from(self, file: int) -> None:
        while chunk := os.read(file, 1024 * 1024):
            self.write(chunk)

    def seal(self) -> str:
        """Make the bytes durable. The etag that the object will have."""
        # the kernel's own stamp is some milliseconds coarse; with this one no two versions of a key look alike
        now = time.time_ns()
        os.utime(self._file, ns=(now, now))
        os.fsync(self._file)
        return etag_of(os.fstat(self._file))

    def place(self, folder: int, name: str) -> None:
        """Give it its name, over whatever has it."""
        os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=folder)

    def place_if_absent(self, folder: int, name: str) -> None:
        """Give it its name if nothing has it, else `FileExistsError`."""
        os.link(self._name, name, src_dir_fd=self._folder, dst_dir_fd=folder, follow_symlinks=False)

    def close(self) -> None:
        # a renamed draft is no longer there, a linked one has its second name here
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._folder)
        os.close(self._file)
        os.close(self._folder)
        # a late write must fail, and not reach the file that gets this number next
        self._file = self._folder = -1


@contextmanager
def drafted(tree: Tree) -> Iterator[Draft]:
    """A draft for the length of a block."""
    draft = Draft.begin(tree)
    try:
        yield draft
    finally:
        draft.close()


def sweep(tree: Tree) -> int:
    """Remove the drafts whose writers are dead. How many there were."""
    try:
        with tree.opened(FOLDER) as folder, os.scandir(folder) as entries:
            return sum(_swept(folder, entry.name) for entry in entries)
    except FileNotFoundError:
        return 0


def _swept(folder: int, name: str) -> bool:
    try:
        file = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        # gone by now, or nothing of ours
        return False
    try:
        dead = _locked(file)
        if dead:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(file)
    return dead


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
