"""What may go wrong with files, told plainly; and files that are put in place in one step."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from windrow.contracts.errors import Fatal, RetryableTransient, classify


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """What the system refuses inside becomes one line of ours that names the path."""
    try:
        yield
    except OSError as error:
        known = classify(error)
        # for a file there is no trying again later: what the family does not know, a person must look at
        kind = Fatal if isinstance(known, RetryableTransient) else type(known)
        code = Fatal.default_code if isinstance(known, RetryableTransient) else known.code
        message = f"cannot use {error.filename or path}: {error.strerror or error}"
        raise kind(message, code=code, hint=known.hint or "choose another directory (WINDROW_HOME)") from error


def write_private(path: Path, text: str) -> None:
    """Put a file in place in one step, readable by its owner only: a reader sees the old one or the new one."""
    with told_plainly(path):
        descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.fsencode(text))  # it may hold a path, which need not be text
                file.flush()
                os.fsync(file.fileno())
            Path(aside).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(aside).unlink()
            raise
        sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """A new name is as durable as its directory."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_bytes(directory: Path) -> int:
    """The room left on the disk that holds the directory, or will hold it."""
    nearest = next(path for path in (directory, *directory.parents) if path.exists())
    disk = os.statvfs(nearest)
    return disk.f_bavail * disk.f_frsize
