"""The stack of one home: takes its lock, finds its ports, starts its engines and keeps them running."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from windrow.contracts.errors import Code, Fatal
from windrow.stack.assemble import Site, wanted_ports
from windrow.stack.config import EmbeddedPostgres, EmbeddedTemporal, ExternalPostgres, ExternalTemporal, StackConfig
from windrow.stack.health import Health, State
from windrow.stack.launching import Launcher
from windrow.stack.logfile import LogFile
from windrow.stack.place import make_home
from windrow.stack.ports import choose
from windrow.stack.postgres import Postgres
from windrow.stack.record import HomeLock, Record, remember, remembered
from windrow.stack.supervise import Supervisor
from windrow.stack.temporal import Temporal

PORT_TRIES = 3


class Stack:
    """Runs what the configuration embeds, and knows the addresses of what it does not.

    Enter it from the main thread: on Linux an engine ends with the thread that started it.
    """

    def __init__(self, config: StackConfig) -> None:
        self.config = config
        self._lock: HomeLock | None = None
        self._postgres: Postgres | None = None
        self._temporal: Temporal | None = None
        self._supervisors: dict[str, Supervisor] = {}

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> Self:
        """Return once every embedded engine answers; otherwise leave nothing running, and raise why."""
        wanted = wanted_ports(self.config)
        if wanted:
            home = make_home(self.config.home)
            self._lock = lock = await HomeLock.acquire(home)
            try:
                await self._start(home, lock.run, wanted)
            except BaseException:
                await self.stop()
                raise
        return self

    async def stop(self) -> None:
        """End the engines, then let go of the home."""
        await self._stop_engines()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    async def watch(self) -> None:
        """Return when the stack is stopped; raise when an engine was given up."""
        kept = [supervisor.kept for supervisor in self._supervisors.values() if supervisor.kept]
        if not kept:
            await asyncio.Event().wait()
        ended, _ = await asyncio.wait(kept, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            if not task.cancelled():
                task.result()

    async def until_healthy(self, engine: str, *, restarts: int = 0) -> Health:
        """Wait until the engine answers, having been started again at least so many times."""
        over = (State.FAILED, State.STOPPED)
        health = await self.until(engine, lambda now: now.state in over or (now.healthy and now.restarts >= restarts))
        if not health.healthy:
            raise Fatal(health.detail or f"{engine} was stopped", code=Code.ENGINE_FAILED, hint="start the stack again")
        return health

    async def until(self, engine: str, holds: Callable[[Health], bool]) -> Health:
        """Wait until the engine's health is such that the condition holds."""
        return await self._supervisors[engine].pulse.until(holds)

    @property
    def health(self) -> tuple[Health, ...]:
        """Every embedded engine as it was last seen."""
        return tuple(supervisor.pulse.now for supervisor in self._supervisors.values())

    @property
    def database_url(self) -> str:
        """Where clients find PostgreSQL; it holds the password."""
        if isinstance(self.config.postgres, ExternalPostgres):
            return self.config.postgres.url
        if self._postgres is None:
            raise _not_running("PostgreSQL")
        return self._postgres.url

    @property
    def temporal_address(self) -> str:
        """Where clients find Temporal, as `host:port`."""
        if isinstance(self.config.temporal, ExternalTemporal):
            return self.config.temporal.address
        if self._temporal is None:
            raise _not_running("Temporal")
        return self._temporal.ports.address

    @property
    def temporal_ui_url(self) -> str | None:
        """Temporal's own web pages; None where it is not ours."""
        return self._temporal.ports.ui_url if self._temporal else None

    async def _start(self, home: Path, run: str, wanted: Mapping[str, int | None]) -> None:
        site = await Site.survey(self.config, home)
        await site.clear()
        before = remembered(home)
        ports = dict(before.ports) if before else {}
        for tries_left in reversed(range(PORT_TRIES)):
            ports |= choose(wanted, ports)
            remember(home, Record(run, ports=ports))
            try:
                await self._start_engines(site, ports)
            except Fatal as error:
                # somebody may have taken a port between our look and the engine's start: look again
                if error.code is not Code.PORT_TAKEN or not tries_left:
                    raise
                await self._stop_engines()
            else:
                break
        remember(home, Record(run, ready=True, engines=tuple(self._supervisors), ports=ports))

    async def _start_engines(self, site: Site, ports: Mapping[str, int]) -> None:
        if isinstance(self.config.postgres, EmbeddedPostgres):
            self._postgres = await site.postgres(self.config.postgres, ports)
            self._supervise(site.home, self._postgres)
        if isinstance(self.config.temporal, EmbeddedTemporal):
            self._temporal = await site.temporal(self.config.temporal, ports)
            self._supervise(site.home, self._temporal)
        try:
            # in a task of its own: on Python 3.11 a group of which one has failed leaves its task marked as cancelled, and
            # there may be another try
            await asyncio.create_task(self._start_supervised())
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _start_supervised(self) -> None:
        async with asyncio.TaskGroup() as starting:
            for supervisor in self._supervisors.values():
                starting.create_task(supervisor.start())

    def _supervise(self, home: Path, engine: Postgres | Temporal) -> None:
        log = LogFile(home / "logs" / f"{engine.name}.log")
        self._supervisors[engine.name] = Supervisor(Launcher(engine, log, self.config.care))

    async def _stop_engines(self) -> None:
        stopped = await asyncio.gather(
            *(supervisor.stop() for supervisor in self._supervisors.values()), return_exceptions=True
        )
        self._supervisors.clear()
        self._postgres = self._temporal = None
        for failed in filter(None, stopped):
            raise failed


def _not_running(engine: str) -> Fatal:
    return Fatal(f"{engine} is not running", code=Code.ENGINE_FAILED, hint="start the stack first: `windrow up`")
