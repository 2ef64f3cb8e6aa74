"""The execution tool: makes the source's calls, each of them counted, timed, traced and kept within the limits."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from windrow.connectors.context import Context
from windrow.contracts.errors import classify
from windrow.telemetry import span
from windrow.telemetry.catalogue import connectors as told

T = TypeVar("T")


class ExecutionTool:
    """For one endpoint. `source` names the connector in metrics and spans."""

    def __init__(self, source: str, context: Context, *, concurrency: int = 1) -> None:
        self._source, self._context = source, context
        self._room = asyncio.Semaphore(concurrency)

    async def call(self, what: str, make: Callable[[], Awaitable[T]]) -> T:
        """Make one call of the source, when there is room for it. After a cancellation no new one begins."""
        async with self._room:
            if self._context.cancelled():
                raise asyncio.CancelledError
            begun = time.perf_counter()
            outcome = "ok"
            try:
                with span("connector.call", source=self._source, call=what), self._context.watch(what):
                    return await make()
            except asyncio.CancelledError:
                outcome = "cancelled"
                raise
            except Exception as error:
                outcome = str(classify(error).code)
                raise
            finally:
                told.CALLS.add(1, source=self._source, outcome=outcome)
                told.CALL_SECONDS.record(time.perf_counter() - begun, source=self._source)
