"""Processes that are started, signalled and listened to.

They are forked from a server that has imported everything already: so one costs a few hundredths of a second, and not
the second that its imports take.
"""

import asyncio
import json
import multiprocessing
import os
import signal
from dataclasses import dataclass
from typing import Any

from tests.stories.harvest import roles
from tests.stories.harvest.roles import Job

KILLED = -signal.SIGKILL

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["pytest", "anyio._backends._asyncio", roles.__name__])


class Child:
    """A process that was started, and what it has said."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._code: int | None = None
        self._heard, theirs = _server.Pipe(duplex=False)
        self._process = _server.Process(target=roles.live, args=(job, theirs), daemon=True)
        self._process.start()
        theirs.close()

    async def ended(self) -> int:
        """Its exit code, when it has ended."""
        await _readable(self._process.sentinel)
        self._process.join()
        self._code = self._process.exitcode
        assert self._code is not None
        self._process.close()
        self._heard.close()
        return self._code

    async def stopped(self) -> bool:
        """Until it has stopped itself; False if it ended without that."""
        await _readable(self._heard.fileno())
        try:
            self._heard.recv()
        except EOFError:
            return False
        return True

    def send(self, number: signal.Signals) -> None:
        """A signal, if it is still there to get it."""
        if self._code is None and self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, number)


@dataclass(frozen=True)
class Said:
    """What a process wrote: its log lines, the points that it reached, and its metrics as they were last looked at."""

    job: Job
    died: bool
    lines: list[dict[str, Any]]
    points: list[str]
    metrics: dict[str, float] | None

    @classmethod
    def read(cls, job: Job, *, died: bool) -> "Said":
        text = job.log.read_text() if job.log.exists() else ""
        # the last line of one that was killed may lack its end
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return cls(
            job,
            died,
            [line for line in lines if "event" in line],
            [line["point"] for line in lines if "point" in line],
            next((line["metrics"] for line in reversed(lines) if "metrics" in line), None),
        )

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == name]


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
