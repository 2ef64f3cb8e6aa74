"""One launch of an engine: its data made ready, its process started, and waited for until it answers."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from windrow.contracts.errors import Code, Fatal
from windrow.stack.config import Care
from windrow.stack.diagnose import why_not_started
from windrow.stack.disk import free_bytes
from windrow.stack.engine_user import EngineUser
from windrow.stack.leftovers import end_leftovers
from windrow.stack.logfile import LogFile
from windrow.stack.process import Parting, end, spawn
from windrow.telemetry import emit, redact
from windrow.telemetry.catalogue import stack as says

POLL = 0.03
# how long a start may be under way before that is worth a line, and then another
SLOW = 15.0
ABOUT_TO_END = 1.0


class Engine(Protocol):
    """What is known of an engine by those who launch and watch it."""

    name: str
    parting: Parting

    @property
    def directory(self) -> Path:
        """Where its data is, and where it works."""

    @property
    def user(self) -> EngineUser | None:
        """Whom it runs as; None is ourselves."""

    async def prepare(self) -> None:
        """Make the data fit to be served."""

    def argv(self) -> list[str]:
        """The command line."""

    async def check(self) -> str:
        """Its version, if it answers as its clients need it to; Fatal if it never will."""


@dataclass(frozen=True, slots=True)
class Launched:
    """A running engine that has answered."""

    process: asyncio.subprocess.Process
    version: str


@dataclass(frozen=True, slots=True)
class Launcher:
    """Launches one engine, as often as it takes."""

    engine: Engine
    log: LogFile
    care: Care

    async def prepare(self) -> None:
        """See to it that nobody else holds the data and that it is fit to be served."""
        engine = self.engine
        await end_leftovers(engine.name, engine.directory, engine.parting, patience=self._stop_patience)
        await engine.prepare()

    async def launch(self) -> Launched:
        """Start the engine; it answers when this returns, and does not run when this raises."""
        began = time.monotonic()
        await self.prepare()
        process = await self._spawn()
        try:
            version = await self._until_it_answers(process)
        except BaseException:
            await self.end(process)
            raise
        took = time.monotonic() - began
        says.ENGINE_START_SECONDS.record(took, engine=self.engine.name)
        emit("engine.started", engine=self.engine.name, version=version, pid=process.pid, seconds=round(took, 3))
        return Launched(process, version)

    async def end(self, process: asyncio.subprocess.Process) -> int:
        """Stop the engine in the way that suits it."""
        return await end(process, self.engine.parting, patience=self._stop_patience)

    @property
    def _stop_patience(self) -> float:
        return self.care.stop_timeout.total_seconds()

    async def _spawn(self) -> asyncio.subprocess.Process:
        engine, log = self.engine, self.log.open()
        try:
            return await spawn(engine.argv(), user=engine.user, cwd=engine.directory, log=log, parting=engine.parting)
        finally:
            os.close(log)

    async def _until_it_answers(self, process: asyncio.subprocess.Process) -> str:
        answer, ended = asyncio.create_task(self._answer()), asyncio.create_task(process.wait())
        limit = self.care.start_timeout.total_seconds()
        try:
            await asyncio.wait({answer, ended}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if answer.done() and answer.exception():
                # it may be a stranger on our port who refuses us, while our own engine is about to end because of it
                await asyncio.wait({ended}, timeout=ABOUT_TO_END)
            if ended.done():
                room = free_bytes(self.engine.directory)
                raise why_not_started(self.engine.name, self.log.since_start(), self.engine.directory, room=room)
            if not answer.done():
                raise _never_answered(self.engine.name, limit)
            return answer.result()
        finally:
            answer.cancel()
            ended.cancel()
            await asyncio.gather(answer, ended, return_exceptions=True)

    async def _answer(self) -> str:
        began = said = time.monotonic()
        while True:
            try:
                return await self.engine.check()
            except Fatal:
                raise
            except Exception as error:
                if (now := time.monotonic()) - said > SLOW:
                    said, reason = now, redact(str(error))
                    emit("engine.waited_for", engine=self.engine.name, seconds=round(now - began), reason=reason)
            await asyncio.sleep(POLL)


def _never_answered(engine: str, limit: float) -> Fatal:
    return Fatal(
        f"{engine} runs, but did not answer within {limit:.0f} seconds",
        code=Code.ENGINE_FAILED,
        hint="its log, in `logs` in the home, tells more",
    )
