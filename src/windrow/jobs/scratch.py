"""Scratch: a directory for each execution, on the worker's disk."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR

from windrow.jobs.intake import Claim
from windrow.telemetry import emit


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was removed."""

    directories: int
    bytes: int


class Scratch:
    """The directory of one execution; it is not there before it is asked for."""

    def __init__(self, root: Path, claim: Claim) -> None:
        self._root, self._claim = root, claim
        self._path: Path | None = None

    def path(self) -> Path:
        """The directory, made empty at the first call."""
        if self._path is None:
            claim = self._claim
            # the epoch makes it the execution's own: a zombie on this machine still writes into another
            path = self._root / claim.tenant_id / claim.job_id / str(claim.epoch)
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True, mode=0o700)
            self._path = path
        return self._path

    @property
    def is_made(self) -> bool:
        return self._path is not None

    def discard(self) -> None:
        """Remove it, and what would be left empty above it."""
        path = self.path()
        shutil.rmtree(path, ignore_errors=True)
        _remove_empty(path.parent, path.parent.parent)

    def keep(self) -> None:
        """Leave it for somebody to look at, and say what that costs."""
        emit("scratch.kept", job_id=self._claim.job_id, path=str(self.path()), bytes=size(self.path()))


def clean(root: Path, *, older_than: float, now: float) -> Cleaned:
    """Remove what nobody has touched for so many seconds, counted to `now` (both as file times are)."""
    directories = freed = 0
    for path in list(_executions(root)):
        if _touched(path) < now - older_than:
            freed += size(path)
            directories += 1
            shutil.rmtree(path, ignore_errors=True)
            _remove_empty(path.parent, path.parent.parent)
    if directories:
        emit("scratch.cleaned", directories=directories, bytes=freed)
    return Cleaned(directories, freed)


def size(path: Path) -> int:
    """Bytes in the files below; what vanishes meanwhile counts nothing."""
    return sum(status.st_size for status in _statuses(path) if not S_ISDIR(status.st_mode))


def _executions(root: Path) -> Iterator[Path]:
    yield from (path for path in root.glob("*/*/*") if path.is_dir() and not path.is_symlink())


def _touched(path: Path) -> float:
    return max((status.st_mtime for status in _statuses(path)), default=0.0)


def _statuses(path: Path) -> Iterator[os.stat_result]:
    for place in (path, *path.rglob("*")):
        try:
            yield place.lstat()
        except FileNotFoundError:
            continue


def _remove_empty(*directories: Path) -> None:
    for directory in directories:
        try:
            directory.rmdir()
        except OSError:
            return  # another execution has something there
