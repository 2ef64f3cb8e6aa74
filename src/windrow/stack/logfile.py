"""An engine's own output: one file an engine, put aside when it has grown large, its end shown when the engine fails."""

import os
from pathlib import Path

from windrow.stack.disk import told_plainly

LARGE = 8 * 1024 * 1024
TAIL = 64 * 1024


class LogFile:
    """The log of one engine. What it wrote since it was last opened tells how that start went."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    def open(self) -> int:
        """A descriptor to append to, for the engine to inherit."""
        with told_plainly(self.path):
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            if self.path.exists() and self.path.stat().st_size > LARGE:
                self.path.replace(self.path.with_suffix(".log.1"))
            log = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._start = os.fstat(log).st_size
        return log

    def since_start(self) -> list[str]:
        """The last lines since the engine was started; none if somebody took the file away."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self._start, size - TAIL))
                return file.read().decode(errors="replace").splitlines()
        except OSError:
            return []
