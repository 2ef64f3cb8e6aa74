"""A loop that goes on whatever the database does: at once while there is work, else when woken, later when in trouble."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from windrow.contracts.errors import WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup

_TROUBLE = RetryPolicy(timedelta(seconds=0.2), timedelta(seconds=30), attempts=None, spread=0.5)


async def keep_on(
    step: Callable[[], Awaitable[object]],
    wakeup: Wakeup,
    poll: timedelta,
    jitter: Callable[[], float],
    stalled: Callable[[WindrowError, timedelta], None],
) -> None:
    """Run the step until cancelled. It answers something true when it found work, and is then run again at once."""
    failures = 0
    while not is_cancelled():
        try:
            if not await step():
                # jittered, so that several processes do not ask at the same moment
                await wakeup.wait(poll.total_seconds() * (0.75 + 0.5 * jitter()))
            failures = 0
        except WindrowError as error:
            failures += 1
            delay = _TROUBLE.delay(failures, jitter()) or timedelta(0)
            stalled(error, delay)
            await asyncio.sleep(delay.total_seconds())
    raise asyncio.CancelledError
