"""Cancellations that the driver loses."""

import asyncio


def is_cancelled() -> bool:
    """Whether this task was asked to end.

    To be asked by every loop that waits for the database: the driver waits with `asyncio.wait_for`, which before Python
    3.12 loses a cancellation that comes together with the answer, and it comes only once.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
