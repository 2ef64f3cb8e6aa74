"""A tap that runs: started, heard line by line as fast as we listen, and ended with all that it has started.

What the tap is given to read (its configuration with the credential, its catalog, its state) is in memory, behind a
descriptor that only it has: nothing of it is on a disk, in an environment or on a command line.
"""

import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from windrow.connectors.singer import warden
from windrow.connectors.singer.complaints import Complaints, Say
from windrow.connectors.singer.failures import Ended
from windrow.connectors.singer.lines import Line, Lines

CHUNK = 64 * 1024
MIB = 1024 * 1024
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes that are enough for anything honest. The memory is the operator's to say."""

    # a slice of a harvest has ten minutes in all
    silence_seconds: float = 300.0
    page_seconds: float = 60.0
    resume_seconds: float = 480.0
    discovery_seconds: float = 300.0
    message_bytes: int = 4 * MIB
    page_bytes: int = 8 * MIB
    catalog_bytes: int = 64 * MIB
    file_bytes: int = 1024 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a tap is to be run: by which options, and with what to read for those that name a file."""

    executable: Path
    options: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    memory: int
    limits: Limits


class Running:
    """A started tap."""

    def __init__(self, process: Process, report: int, scratch: str, order: Order, complaints: Complaints) -> None:
        self._process, self._report, self._scratch, self._complaints = process, report, scratch, complaints
        self._lines = Lines(order.limits.message_bytes)
        self._ready: list[Line] = []
        self._open = True
        self._listening = asyncio.create_task(self._listen(), name=f"stderr of {order.executable.name}")

    @classmethod
    async def start(cls, order: Order, say: Say) -> Self:
        """Run it in a session of its own, under a warden."""
        scratch = tempfile.mkdtemp(prefix="windrow-tap-")
        with ExitStack() as handed:
            report = _sheet(b"")
            argv, given = [*order.options], [report]
            for option, content in order.files.items():
                given.append(sheet := _sheet(content))
                handed.callback(os.close, sheet)
                argv += [option, f"/dev/fd/{sheet}"]
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-I", "-S", warden.__file__, scratch, str(report)),
                    *(str(order.memory), str(order.limits.file_bytes), str(order.executable), *argv),
                    env=_environment(order.executable, scratch),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    pass_fds=given,
                    start_new_session=True,
                )
            except BaseException:
                os.close(report)
                warden.remove(scratch)
                raise
        return cls(process, report, scratch, order, Complaints(say))

    async def line(self) -> Line | None:
        """The next line of its output; None behind the last."""
        assert self._process.stdout is not None
        while not self._ready and self._open:
            # the pipe is read only here: a tap whose lines nobody asks for has to wait
            chunk = await self._process.stdout.read(CHUNK)
            self._open = bool(chunk)
            self._ready = (self._lines.cut(chunk) if chunk else self._lines.end())[::-1]
        return self._ready.pop() if self._ready else None

    async def ended(self) -> Ended:
        """How it ended, once there are no more lines."""
        await self._process.wait()
        await self._listening
        told = os.pread(self._report, 64, 0).split()
        code, kilobytes = (int(told[0]), int(told[1])) if told else (None, 0)
        return Ended(code, kilobytes * 1024, self._complaints.words)

    @property
    def words(self) -> str:
        return self._complaints.words

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(CHUNK):
            self._complaints.take(chunk)
        self._complaints.end()

    async def end(self) -> None:
        """Let go of it: the warden kills what is left. May be called at any time, and more than once."""
        if self._report < 0:
            return
        report, self._report = self._report, -1
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
            await self._gone()
        finally:
            os.close(report)
            # the warden has done so, unless somebody killed it
            warden.remove(self._scratch)

    async def _gone(self) -> None:
        try:
            # reads what is left in the pipes, which would keep them open, and collects the process
            await asyncio.wait_for(self._process.communicate(), _PATIENCE)
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            # somebody whom nobody can kill has our pipes in his hands
            self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way


def _environment(executable: Path, scratch: str) -> dict[str, str]:
    # made here: ours holds what is no business of the tap's
    return {
        "PATH": f"{executable.parent}:{os.defpath}",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _sheet(content: bytes) -> int:
    """A descriptor from which the content can be read, and that has no name in any directory."""
    if sys.platform == "linux":
        sheet = os.memfd_create("windrow")
    else:
        with tempfile.TemporaryFile() as unnamed:
            sheet = os.dup(unnamed.fileno())
    left = memoryview(content)
    while left:
        left = left[os.write(sheet, left) :]
    os.lseek(sheet, 0, os.SEEK_SET)
    return sheet
