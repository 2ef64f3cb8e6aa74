"""The file system by descriptors: every step is taken from an open directory, and none of them follows a link.

A path that is swapped for a link while we read is then refused by the kernel, and not read.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# with O_PATH a directory that may be passed but not listed is no obstacle; not every system has it
_ON_THE_WAY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# it was something else a moment ago
CHANGED = {errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EINVAL}
# our own want, not the entry's fault
OURS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def in_words(error: OSError) -> str:
    """What the system says, without the path: that is told beside it."""
    return error.strerror or type(error).__name__


class Spot(NamedTuple):
    """A name in an open directory."""

    folder: int
    name: bytes

    def status(self) -> os.stat_result:
        """What is there, a link itself included."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    def open_folder(self) -> int:
        """The directory that is there; anything else is refused."""
        return os.open(self.name, _FOLDER, dir_fd=self.folder)

    @contextmanager
    def opened_file(self) -> Iterator[int]:
        """What is there, for reading; never waits for a pipe, never follows a link."""
        file = os.open(self.name, _FILE, dir_fd=self.folder)
        try:
            yield file
        finally:
            os.close(file)

    def target(self) -> bytes:
        """Where the link that is there points to, as it says."""
        return os.readlink(self.name, dir_fd=self.folder)


def names_in(folder: int) -> list[bytes]:
    """All names in a directory, the last one first: they are taken from the end, and free their memory on the way."""
    with os.scandir(folder) as entries:
        names = [os.fsencode(entry.name) for entry in entries]
    names.sort(reverse=True)
    return names


@contextmanager
def spot_of(real: bytes) -> Iterator[Spot]:
    """The place of a path in which no part is a link, reached from the root of the file system."""
    *folders, name = real.strip(b"/").split(b"/")
    place = os.open("/", _ON_THE_WAY)
    try:
        for folder in folders:
            below = os.open(folder, _ON_THE_WAY, dir_fd=place)
            os.close(place)
            place = below
        yield Spot(place, name or b".")
    finally:
        os.close(place)
