"""One writer at a time for a key, in all processes of this machine. The kernel frees what a dead one held."""

import fcntl
import os
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from windrow.contracts.errors import Code, Conflict
from windrow.objects.local.tree import Tree

FOLDER = ".locks"
# keys share lock files by their hash: few files, and seldom a wait for a stranger
STRIPES = 64
_STEP = 0.002


@contextmanager
def locked(tree: Tree, *keys: str) -> Iterator[None]:
    """Hold the keys, and keep the folders that lead to them from being removed as empty."""
    stripes = {f"{zlib.crc32(key.encode()) % STRIPES:02}" for key in keys}
    with tree.made(FOLDER) as folder, ExitStack() as stack:
        stack.enter_context(_held(folder, "folders", fcntl.LOCK_SH, tree.patience))
        # in one order for all, so that two movers never wait for each other
        for stripe in sorted(stripes):
            stack.enter_context(_held(folder, stripe, fcntl.LOCK_EX, tree.patience))
        yield


def prune(tree: Tree, folders: tuple[str, ...]) -> None:
    """Remove folders that became empty, from the inmost up; not while anybody is writing, the next delete will do it."""
    with tree.made(FOLDER) as folder, ExitStack() as stack:
        try:
            stack.enter_context(_held(folder, "folders", fcntl.LOCK_EX, patience=0))
        except Conflict:
            return
        try:
            for depth in range(len(folders) - 1, -1, -1):
                with tree.opened(*folders[:depth]) as above:
                    os.rmdir(folders[depth], dir_fd=above)
        except OSError:
            # not empty, or gone already
            return


@contextmanager
def _held(folder: int, name: str, kind: int, patience: float) -> Iterator[None]:
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        _take(file, kind, patience)
        yield
    finally:
        os.close(file)


def _take(file: int, kind: int, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Conflict(
                    "another process has been writing that object for too long",
                    code=Code.CONTENTION,
                    hint="look for a stopped process that uses the same object store",
                ) from None
        time.sleep(_STEP)
