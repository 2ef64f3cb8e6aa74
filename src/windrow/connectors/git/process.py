"""A program that is run for its output, and never outlives the interest in it."""

import asyncio
import os
import resource
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from subprocess import DEVNULL, PIPE

CHUNK = 256 * 1024
_KEPT_COMPLAINT = 4096
_PATIENCE = 10.0


class Running:
    """A started program: its output, and the end of what it complained about."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._complaint = b""
        self._listening = asyncio.create_task(self._listen())

    async def chunks(self) -> AsyncIterator[bytes]:
        """Its output as it arrives."""
        assert self._process.stdout is not None
        while chunk := await self._process.stdout.read(CHUNK):
            yield chunk

    async def code(self) -> int:
        """How it ended."""
        await self._listening
        return await self._process.wait()

    @property
    def complaint(self) -> str:
        return self._complaint.decode("utf-8", "replace")

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(CHUNK):
            self._complaint = (self._complaint + chunk)[-_KEPT_COMPLAINT:]

    async def end(self) -> None:
        """Kill whatever of it is still there, with all that it started, and leave nothing behind."""
        # git works through children; the group is theirs until the leader is collected
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        # reads what is left in the pipes, which would keep them open, and collects the process; what has left the group
        # could hold a pipe open for ever
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.communicate(), _PATIENCE)


@asynccontextmanager
async def running(
    argv: Sequence[str], *, env: Mapping[str, str], stdin: bytes = b"", largest_file: int | None = None
) -> AsyncIterator[Running]:
    """Start it in a session of its own; it ends with the block, whichever way that is left."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        env=dict(env),
        cwd="/",
        stdin=PIPE if stdin else DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    started = Running(process)
    try:
        if largest_file is not None and hasattr(resource, "prlimit"):
            with suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (largest_file, largest_file))
        if process.stdin is not None:
            process.stdin.write(stdin)
            process.stdin.close()
        yield started
    finally:
        await started.end()
