"""The port of a push subscription: where the relay delivers to."""

from typing import Protocol

from windrow.messages.message import Delivery


class Sink(Protocol):
    """Somewhere outside. Returning says that it is delivered; raising one of our errors says what happens next.

    Delivery is at least once: the same message, with the same id, may come again after a crash or a lost answer.
    """

    async def deliver(self, delivery: Delivery) -> None:
        """Hand it over, or raise."""
