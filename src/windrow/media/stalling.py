"""What a loop over the media jobs says when it has to pause."""

from collections.abc import Callable
from datetime import timedelta

from windrow.contracts.errors import WindrowError
from windrow.telemetry import emit


def stalled(part: str) -> Callable[[WindrowError, timedelta], None]:
    """For the loop of that name."""

    def say(error: WindrowError, delay: timedelta) -> None:
        emit(
            "media.stalled",
            part=part,
            error_class=error.error_class,
            code=error.code,
            error=error,
            retry_in_seconds=delay.total_seconds(),
        )

    return say
