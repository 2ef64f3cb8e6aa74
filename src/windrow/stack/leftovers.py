"""Engines that outlived an earlier supervisor. With the home's lock in hand they belong to nobody, so we end them.

PostgreSQL's children outlive a killed postmaster for a moment, or for as long as a query takes, and while they do
no new server may open the data. Processes are known by their program and by the directory they work in; the child
processes' titles tell them from the server itself. Only Linux shows all this (`/proc`); elsewhere none is found.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from windrow.stack.process import Parting
from windrow.telemetry import emit

PROC = Path("/proc")
POLL = 0.02
# orphaned children look for their parent whenever they wait for something
NOTICE = 2.0


@dataclass(frozen=True, slots=True)
class Leftover:
    """A process of an earlier run."""

    pid: int
    server: bool


async def end_leftovers(engine: str, directory: Path, parting: Parting, *, patience: float) -> None:
    """Return when no process of the engine works in its directory any more."""
    left = _working_in(directory, engine)
    if not left:
        return
    emit("engine.left_over", engine=engine, pids=[each.pid for each in left])
    if servers := [each for each in left if each.server]:
        _signal(servers, parting.polite)
        await _gone(left, patience)
    else:
        # never the polite signal: to a child it means something else, to one of them "note a clean shutdown"
        await _gone(left, NOTICE)
    for signal in parting.insisting:
        if left := _working_in(directory, engine):
            _signal([each for each in left if each.server] or left, signal)
            await _gone(left, patience)


def forget_stale_server(engine: str, directory: Path) -> None:
    """Remove a pid file that names a process which is something else by now.

    PostgreSQL would take any process of the same user for its server, and after a reboot there is often one. A pid
    file that names no process is left to PostgreSQL: it uses the rest of it to look for orphans itself.
    """
    pid_file = directory / "postmaster.pid"
    with suppress(OSError, ValueError):
        pid = int(pid_file.read_text().split("\n", 1)[0])
        if PROC.is_dir() and _runs(pid) and pid not in {each.pid for each in _working_in(directory, engine)}:
            pid_file.unlink()
            emit("engine.forgotten", engine=engine, pid=pid)


def _signal(left: Iterable[Leftover], signal: Signals) -> None:
    for each in left:
        with suppress(ProcessLookupError):
            os.kill(each.pid, signal)


async def _gone(left: Iterable[Leftover], patience: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while any(_runs(each.pid) for each in left):  # noqa: ASYNC110 - not our children: nobody tells us
                await asyncio.sleep(POLL)


def _runs(pid: int) -> bool:
    try:
        # a zombie has ended, whether or not its parent has collected it
        return "\nState:\tZ" not in (PROC / str(pid) / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _working_in(directory: Path, program: str) -> list[Leftover]:
    return list(_found(directory.resolve(), program)) if PROC.is_dir() else []


def _found(directory: Path, program: str) -> Iterator[Leftover]:
    for entry in PROC.iterdir():
        # a process may end between any two looks, and others' are not ours to look into
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink() == directory and _program(entry) == program:
                title = (entry / "cmdline").read_bytes().split(b"\0", 1)[0]
                yield Leftover(int(entry.name), server=Path(os.fsdecode(title)).name == program)


def _program(entry: Path) -> str:
    # an upgrade replaces the file under a running program
    return (entry / "exe").readlink().name.removesuffix(" (deleted)")
