"""Starting programs through the launcher, and ending them: ask, wait, insist."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from subprocess import DEVNULL, PIPE, STDOUT

from windrow.stack import launch
from windrow.stack.engine_user import EngineUser


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ran to its end."""

    code: int
    output: str


@dataclass(frozen=True, slots=True)
class Parting:
    """How a program is asked to leave: the polite signal, and those that follow when it does not."""

    polite: Signals
    insisting: tuple[Signals, ...]


def command(argv: Sequence[str], *, user: EngineUser | None, cwd: Path, dying: Signals) -> list[str]:
    """The launcher's command line. The program's environment is made here: ours (PGHOST, TEMPORAL_…) is not for it."""
    orders = {
        "argv": list(argv),
        "env": {"PATH": os.defpath, "HOME": str(cwd), "LC_ALL": "C"},
        "cwd": str(cwd),
        "uid": user.uid if user else None,
        "gid": user.gid if user else None,
        "signal": dying,
        "parent": os.getpid(),
    }
    return [sys.executable, "-I", "-S", launch.__file__, json.dumps(orders)]


async def spawn(
    argv: Sequence[str], *, user: EngineUser | None, cwd: Path, log: int, parting: Parting
) -> asyncio.subprocess.Process:
    """Start an engine that writes to the open file `log` and ends when we do.

    It gets a session of its own: a Ctrl-C in the terminal is for us, and we stop the engines last.
    """
    line = command(argv, user=user, cwd=cwd, dying=parting.polite)
    return await asyncio.create_subprocess_exec(*line, stdin=DEVNULL, stdout=log, stderr=STDOUT, start_new_session=True)


async def run(
    argv: Sequence[str], *, user: EngineUser | None, cwd: Path = Path("/"), stdin: str | None = None
) -> Finished:
    """Run a short-lived program to its end."""
    line = command(argv, user=user, cwd=cwd, dying=Signals.SIGTERM)
    given = PIPE if stdin is not None else DEVNULL
    process = await asyncio.create_subprocess_exec(
        *line, stdin=given, stdout=PIPE, stderr=STDOUT, start_new_session=True
    )
    try:
        output, _ = await process.communicate(stdin.encode() if stdin is not None else None)
    except BaseException:
        await _end_group(process)
        raise
    assert process.returncode is not None
    return Finished(process.returncode, output.decode(errors="replace"))


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """With all that it started: it leads a session of its own, and initdb works through children."""
    for signal in (Signals.SIGTERM, Signals.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 5)


async def end(process: asyncio.subprocess.Process, parting: Parting, *, patience: float) -> int:
    """Ask it to leave, wait, insist; by its own pid, which nobody else can have before we collect it."""
    for signal in (parting.polite, *parting.insisting):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(signal)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), patience)
    return await process.wait()
