"""Backpressure (RR-4): a machine that is busy does not take more while a lot waits anyway."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from windrow.postgres import Transaction, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PressureLimits:
    """More than so many queued, and a load per CPU above that: no job is taken for the pause."""

    high_watermark: int = 1000
    load_threshold: float = 0.9
    pause: timedelta = timedelta(seconds=5)


def load_per_cpu() -> float:
    """Of the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


class Pressure:
    """Of one worker."""

    def __init__(
        self,
        worker: str,
        limits: PressureLimits,
        *,
        measure: Callable[[], float] = load_per_cpu,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._worker, self._limits, self._measure, self._clock = worker, limits, measure, clock
        self._until = 0.0

    async def is_high(self, tx: Transaction) -> bool:
        """Whether to take nothing now. The queue is counted only if the machine is busy, and only as far as it matters."""
        if self._clock() < self._until:
            return True
        busy = self._measure()
        if busy <= self._limits.load_threshold:
            return False
        queued: int = await tx.value(Q.depth, most=self._limits.high_watermark + 1)
        if queued <= self._limits.high_watermark:
            return False
        self._pause(queued, busy)
        return True

    def _pause(self, queued: int, busy: float) -> None:
        seconds = self._limits.pause.total_seconds()
        self._until = self._clock() + seconds
        told.PAUSES.add(1)
        emit("worker.paused", worker=self._worker, queued=queued, load=round(busy, 2), seconds=seconds)
