"""Whether what we stand on answers: asked seldom, and never waited for long."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from windrow.contracts.errors import classify
from windrow.telemetry import redact

PATIENCE, FRESH = 1.0, 10.0


@dataclass(frozen=True, slots=True)
class Engine:
    """How it is: well, or why not; None as long as nobody knows."""

    name: str
    well: bool | None
    detail: str


class Pulse:
    """Feels whether an engine answers; what was felt is good for some seconds, for all who look.

    A page waits for a second at the most. The question goes on all the same: to connect for the first time may take longer,
    and would never come to an end if everybody who looks began anew.
    """

    def __init__(self, name: str, ask: Callable[[], Awaitable[object]]) -> None:
        self._name, self._ask = name, ask
        self._felt: tuple[float, Engine] | None = None
        self._asking: asyncio.Task[Engine] | None = None

    async def feel(self) -> Engine:
        """How it is, as far as is known within a second."""
        if self._felt and time.monotonic() - self._felt[0] < FRESH:
            return self._felt[1]
        asking = self._asking = self._asking or asyncio.create_task(self._asked(), name=f"pulse of {self._name}")
        await asyncio.wait({asking}, timeout=PATIENCE)
        # to connect for the first time takes a while, and is no reason to frighten anybody
        first = self._felt is None
        found = Engine(
            self._name, None if first else False, "is being asked" if first else f"no answer within {PATIENCE:.0f} s"
        )
        if asking.done() and not asking.cancelled():
            found, self._asking = asking.result(), None
        self._felt = (time.monotonic() - (FRESH if found.well is None else 0), found)
        return found

    def close(self) -> None:
        """Ask no more."""
        if self._asking:
            self._asking.cancel()

    async def _asked(self) -> Engine:
        try:
            await self._ask()
        except Exception as error:
            return Engine(self._name, False, redact(classify(error).message)[:200])
        return Engine(self._name, True, "answers")
