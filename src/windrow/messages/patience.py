"""The relay's loops go on whatever the database does, and say when they cannot."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from windrow.contracts.errors import WindrowError
from windrow.postgres import patience
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import emit


async def keep_on(
    name: str, step: Callable[[], Awaitable[object]], wakeup: Wakeup, poll: timedelta, jitter: Callable[[], float]
) -> None:
    """Run the step until cancelled. It answers something true when it found work, and is then run again at once."""
    await patience.keep_on(step, wakeup, poll, jitter, partial(say_stalled, name))


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
