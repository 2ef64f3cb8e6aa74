"""One supervisor a home, and how others find it: a lock that dies with its holder, and a record of the ports."""

import asyncio
import fcntl
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from windrow.contracts.errors import Code, Conflict
from windrow.stack.disk import told_plainly, write_private

LOCK = "stack.lock"
RECORD = "stack.json"
# whoever looks whether a stack runs holds the lock for an instant
LOOKS, LOOK_SECONDS = 10, 0.02


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept from one start to the next: no secrets. `ports` may be of engines that do not run this time."""

    run: str
    ready: bool = False
    engines: tuple[str, ...] = ()
    ports: Mapping[str, int] = field(default_factory=dict)


class HomeLock:
    """Held as long as the stack runs; the system releases it however its holder dies.

    Every run has a name, since a process id may come again: the record of an earlier run is not taken for this one's.
    """

    def __init__(self, descriptor: int, run: str) -> None:
        self._descriptor = descriptor
        self.run = run

    @classmethod
    async def acquire(cls, home: Path) -> "HomeLock":
        """Take the home, or say who has it."""
        with told_plainly(home):
            descriptor = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            run = secrets.token_hex(8)
            try:
                await _lock(descriptor, home)
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()} {run}\n".encode(), 0)
            except BaseException:
                os.close(descriptor)
                raise
        return cls(descriptor, run)

    def release(self) -> None:
        os.close(self._descriptor)


async def _lock(descriptor: int, home: Path) -> None:
    for _ in range(LOOKS):
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(LOOK_SECONDS)
    raise Conflict(
        f"a stack is already running in {home} (process {_holder(descriptor)[0] or 'unknown'})",
        code=Code.ALREADY_RUNNING,
        hint="use it as it is, stop it with Ctrl-C where it runs, or choose another home (WINDROW_HOME)",
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs the stack of a home, and what it wrote down; no record while it is still starting."""

    pid: int | None
    record: Record | None


def holder(home: Path) -> Holder | None:
    """Who holds the home now, or None."""
    with told_plainly(home):
        try:
            descriptor = os.open(home / LOCK, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            pid, run = _holder(descriptor)
        else:
            return None
        finally:
            os.close(descriptor)
    record = remembered(home)
    return Holder(pid, record if record and record.ready and record.run == run else None)


def remembered(home: Path) -> Record | None:
    """The record of the last start; one that cannot be read is as good as none, since it only holds conveniences."""
    try:
        found: dict[str, Any] = json.loads((home / RECORD).read_text())
        ports = {str(name): int(port) for name, port in found["ports"].items()}
        engines = tuple(str(name) for name in found["engines"])
        return Record(str(found["run"]), bool(found["ready"]), engines, ports)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def remember(home: Path, record: Record) -> None:
    """Write the record down."""
    write_private(home / RECORD, json.dumps(asdict(record), indent=2) + "\n")


def _holder(descriptor: int) -> tuple[int | None, str]:
    pid, _, run = os.pread(descriptor, 64, 0).decode(errors="replace").strip().partition(" ")
    return int(pid) if pid.isdecimal() else None, run
