"""Keeps one engine running: starts it again when it dies, looks after its health, stops it cleanly."""

import asyncio
import random
import time
from dataclasses import replace
from typing import Any

from windrow.contracts.errors import Code, WindrowError, classify
from windrow.stack.diagnose import why_ended
from windrow.stack.disk import free_bytes
from windrow.stack.health import Health, Pulse, State
from windrow.stack.launching import Launched, Launcher
from windrow.telemetry import emit, redact
from windrow.telemetry.catalogue import stack as says


class Supervisor:
    """One engine under watch. `start` raises what a person must know; a later failure ends `kept`."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._care = launcher.care
        self._name = launcher.engine.name
        self._running: Launched | None = None
        self.kept: asyncio.Task[None] | None = None
        self.pulse = Pulse(Health(self._name, State.STOPPED))

    async def start(self) -> None:
        """Launch the engine, return once it answers, and keep it running from then on."""
        self._tell(State.STARTING)
        # what is wrong with the data now will be wrong with it in a second, too
        await self._launcher.prepare()
        running = await self._launch(failures=0, last=None)
        self.kept = asyncio.create_task(self._keep(running), name=f"keep {self._name}")

    async def stop(self) -> None:
        """End the engine; it is not started again."""
        if self.kept is not None:
            self.kept.cancel()
            # why it was given up, if it was, has been said; nobody need ask for it again
            await asyncio.gather(self.kept, return_exceptions=True)
        if self._running is not None:
            code = await self._launcher.end(self._running.process)
            self._running = None
            emit("engine.stopped", engine=self._name, exit_code=code)
        self._tell(State.STOPPED, pid=None)

    async def _keep(self, running: Launched) -> None:
        failures = 0
        while True:
            since = time.monotonic()
            code = await self._until_it_ends(running)
            lived = time.monotonic() - since
            failures = 1 if lived > self._care.settled.total_seconds() else failures + 1
            says.ENGINE_RESTARTS.add(1, engine=self._name)
            self._tell(State.RESTARTING, pid=None, restarts=self.pulse.now.restarts + 1)
            running = await self._launch(failures, self._why_ended(code))

    def _why_ended(self, code: int) -> WindrowError:
        directory = self._launcher.engine.directory
        return why_ended(self._name, code, self._launcher.log.since_start(), directory, room=free_bytes(directory))

    async def _launch(self, failures: int, last: WindrowError | None) -> Launched:
        """Launch until it holds; raise the last error once the budget is spent."""
        while True:
            if last is not None:
                await self._pause(failures, last)
            try:
                self._running = await self._launcher.launch()
            except Exception as error:
                failures, last = failures + 1, classify(error)
            else:
                self._tell(State.HEALTHY, pid=self._running.process.pid, version=self._running.version, detail=None)
                return self._running

    async def _pause(self, failures: int, error: WindrowError) -> None:
        # a cause that we can name will not go away by itself, unless the engine already ran with the same data
        named = error.code is not Code.ENGINE_FAILED and self.pulse.now.state is State.STARTING
        delay = None if named else self._care.restarts.delay(failures, random.random())  # noqa: S311 - spreads, guards nothing
        if delay is None:
            self._tell(State.FAILED, pid=None, detail=error.message)
            emit("engine.given_up", engine=self._name, failures=failures, code=error.code, reason=error.message)
            raise error
        emit(
            "engine.restarted",
            engine=self._name,
            code=error.code,
            reason=error.message,
            retry_attempt=failures,
            retry_in_seconds=delay.total_seconds(),
        )
        await asyncio.sleep(delay.total_seconds())

    async def _until_it_ends(self, running: Launched) -> int:
        ended = asyncio.create_task(running.process.wait())
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=self._care.check_every.total_seconds())
                if not ended.done():
                    await self._look()
            return ended.result()
        finally:
            ended.cancel()

    async def _look(self) -> None:
        was = self.pulse.now
        try:
            async with asyncio.timeout(self._care.check_timeout.total_seconds()):
                await self._launcher.engine.check()
        except Exception as error:
            reason = redact(str(error) or type(error).__name__)
            if was.healthy:
                emit("engine.sickened", engine=self._name, reason=reason)
            self._tell(State.UNHEALTHY, detail=reason)
        else:
            if not was.healthy:
                emit("engine.recovered", engine=self._name)
            self._tell(State.HEALTHY, detail=None)

    def _tell(self, state: State, **changes: Any) -> None:
        health = replace(self.pulse.now, state=state, **changes)
        self.pulse.tell(health)
        says.ENGINE_UP.set(int(health.healthy), engine=self._name)
