"""How an engine is: one value, and a way to wait for the next one."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where an engine stands."""

    STARTING = "starting"
    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"  # it runs, but does not answer as it should
    RESTARTING = "restarting"
    FAILED = "failed"  # it ended too often, and is left alone
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Health:
    """One engine, as it was last seen."""

    engine: str
    state: State
    external: bool = False
    version: str | None = None
    pid: int | None = None
    restarts: int = 0
    detail: str | None = None

    @property
    def healthy(self) -> bool:
        return self.state is State.HEALTHY


class Pulse:
    """The present health of an engine; whoever waits is woken by every change."""

    def __init__(self, first: Health) -> None:
        self.now = first
        self._changed = asyncio.Event()

    def tell(self, health: Health) -> None:
        self.now = health
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, holds: Callable[[Health], bool]) -> Health:
        """Wait until the condition holds."""
        while not holds(self.now):
            await self._changed.wait()
        return self.now
