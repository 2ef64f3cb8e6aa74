"""A loop that goes on whatever the database does: at once while there is work, else when woken, later when in trouble."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from windrow.contracts.errors import WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import emit

_TROUBLE = RetryPolicy(timedelta(seconds=0.2), timedelta(seconds=30), attempts=None, spread=0.5)


async def keep_on(
    name: str, step: Callable[[], Awaitable[object]], wakeup: Wakeup, poll: timedelta, jitter: Callable[[], float]
) -> None:
    """Run the step until cancelled. It answers something true when it found work, and is then run again at once."""
    failures = 0
    while not is_cancelled():
        try:
            if not await step():
                # jittered, so that several relays do not ask at the same moment
                await wakeup.wait(poll.total_seconds() * (0.75 + 0.5 * jitter()))
            failures = 0
        except WindrowError as error:
            failures += 1
            delay = _TROUBLE.delay(failures, jitter()) or timedelta(0)
            say_stalled(name, error, delay)
            await asyncio.sleep(delay.total_seconds())
    raise asyncio.CancelledError


def say_stalled(step: str, error: WindrowError, delay: timedelta | None = None) -> None:
    """That a step of the relay could not be done now."""
    emit(
        "relay.stalled",
        step=step,
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        retry_in_seconds=delay.total_seconds() if delay else None,
    )
