"""A handler's child process: it dies with its parent, keeps to its limits, and is heard line by line.

    done = await child.run([ffmpeg, "-i", …], cwd=running.scratch, limits=Limits(seconds=600, memory=2 << 30), heard=told)
    if done.code: …

Whatever ends the wait (a cancellation, an error of `heard`, the time limit) kills the whole process group at once.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.jobs import child_shim

# of what a child says on stderr, the end is kept: that is where the reason stands
KEPT_STDERR = 64 * 1024
# a line that is longer comes in pieces
LONGEST_LINE = 64 * 1024
_CHUNK = 16 * 1024
_LOOK = 0.1
_PARTING = 1.0

Heard = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Wall-clock seconds, bytes of address space, and bytes in any one file that it writes."""

    seconds: float
    memory: int | None = None
    file_size: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A child that has ended: its exit code, negative if a signal killed it, and the end of what it said on stderr."""

    code: int
    stderr: str

    @property
    def file_too_large(self) -> bool:
        """Whether it was killed for writing more into a file than it may."""
        return self.code == -signal.SIGXFSZ


async def run(argv: Sequence[str], *, cwd: Path, limits: Limits, heard: Heard | None = None) -> Finished:
    """Run the program (a whole path) to its end; `heard` is given each line of its stdout, and is waited for."""
    process = await asyncio.create_subprocess_exec(
        *_command(argv, cwd, limits),
        env=_environment(cwd),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    assert process.stdout, "asked for above"
    complaints = asyncio.create_task(_last_words(process), name=f"stderr of {argv[0]}")
    try:
        async with asyncio.timeout(limits.seconds) as time_limit:
            await _listen(process.stdout, heard)
            code = await _exit_code(process)
    except TimeoutError:
        if not time_limit.expired():
            raise  # of whoever listens
        raise RetryableTransient(
            f"{Path(argv[0]).name} took longer than {limits.seconds:g} s", code=Code.TIMEOUT
        ) from None
    finally:
        await _gone(process, complaints)
    said = "" if complaints.cancelled() else complaints.result()
    if code == child_shim.CANNOT_RUN:
        raise Fatal(said.strip() or f"{argv[0]} cannot be run", code=Code.CONFIGURATION)
    return Finished(code, said)


def _command(argv: Sequence[str], cwd: Path, limits: Limits) -> list[str]:
    memory, file_size = ("-" if most is None else str(most) for most in (limits.memory, limits.file_size))
    return [sys.executable, "-I", "-S", child_shim.__file__, str(cwd), str(os.getpid()), memory, file_size, *argv]


def _environment(cwd: Path) -> dict[str, str]:
    # made here: ours holds what is no business of a program that reads a stranger's files
    return {"PATH": os.defpath, "HOME": str(cwd), "TMPDIR": str(cwd), "LC_ALL": "C"}


async def _listen(stream: asyncio.StreamReader, heard: Heard | None) -> None:
    """To the end of the stream; a carriage return ends a line too, as programs that draw progress have it."""
    rest = b""
    while chunk := await stream.read(_CHUNK):
        if heard is None:
            continue
        *lines, rest = (rest + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if len(rest) > LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            await heard(line.decode(errors="replace"))
    if rest and heard is not None:
        await heard(rest.decode(errors="replace"))


async def _last_words(process: Process) -> str:
    assert process.stderr, "asked for above"
    kept = b""
    while chunk := await process.stderr.read(_CHUNK):
        kept = (kept + chunk)[-KEPT_STDERR:]
    return kept.decode(errors="replace")


async def _exit_code(process: Process) -> int:
    """When it has ended; asyncio's own wait goes on for as long as anybody else has hold of its pipes."""
    waiting = asyncio.create_task(process.wait())
    while process.returncode is None:
        await asyncio.wait([waiting], timeout=_LOOK)
    waiting.cancel()
    return process.returncode


async def _gone(process: Process, complaints: asyncio.Task[str]) -> None:
    """Nothing of it is left; it leads a group of its own, so that what it has started goes with it."""
    if process.returncode is not None:
        await asyncio.wait([complaints], timeout=_PARTING)
    if process.returncode is None or not complaints.done():
        # whoever has hold of its pipes is of its group, so the group's number cannot be another's yet
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await _exit_code(process)
        await asyncio.wait([complaints], timeout=_PARTING)
    if not complaints.done():  # somebody has left the group, and our pipes are in his hands
        complaints.cancel()
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way to let go of them
