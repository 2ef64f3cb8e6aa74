"""The relay: routes what was published and delivers it to the sinks. Any number of them may run at once."""

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from windrow.messages.patience import keep_on
from windrow.messages.pump import Pump, RelayLimits
from windrow.messages.routing import PUBLISHED_CHANNEL, ROUTED_CHANNEL, Routed, route
from windrow.messages.sink import Sink
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did."""

    routed: Routed
    attempts: int

    def __bool__(self) -> bool:
        return bool(self.routed) or self.attempts > 0


class Relay:
    """Made before its wake-ups begin to listen. Without sinks it routes only, which is what pull subscriptions need."""

    def __init__(
        self,
        database: Database,
        sinks: Mapping[str, Sink],
        wakeups: Wakeups,
        *,
        name: str = "relay",
        limits: RelayLimits | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database, self._jitter = database, jitter
        self._limits = limits or RelayLimits()
        self._published = wakeups.on(PUBLISHED_CHANNEL)
        self._pumps = [
            Pump(
                sink_name,
                sink,
                database,
                wakeups.on(ROUTED_CHANNEL),
                relay=name,
                limits=self._limits,
                jitter=jitter,
            )
            for sink_name, sink in sinks.items()
        ]

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as group:
            for pump in self._pumps:
                group.create_task(pump.run())
            await keep_on("route", self._route, self._published, self._limits.poll, self._jitter)

    async def run_once(self) -> Pass:
        """One pass, to its end: route what is published, then one round of deliveries for each sink."""
        routed = await self._route()
        return Pass(routed, sum([await pump.run_once() for pump in self._pumps]))

    async def _route(self) -> Routed:
        routed = await route(self._database, batch=self._limits.route_batch)
        if routed.lines:
            for pump in self._pumps:
                pump.wake()  # at once, also while the listening connection is away
        return routed
