"""Pulled messages in hand: their ack deadline is put off until each is settled."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta

from windrow.contracts.errors import WindrowError, classify
from windrow.messages.pubsub.calls import PubSub
from windrow.messages.pubsub.received import PulledMessage
from windrow.telemetry import emit

# a process that ends has no longer for it, and Pub/Sub's deadline sees to it anyway
_GIVE_BACK_SECONDS = 5.0


class Hand:
    """Messages of one subscription that were given to us and to nobody else."""

    def __init__(self, pubsub: PubSub, subscription: str, messages: Iterable[PulledMessage], hold: timedelta) -> None:
        self._pubsub, self._subscription = pubsub, subscription
        self._held = {message.ack_id: message for message in messages}
        self._seconds = int(hold.total_seconds())
        self._extending = asyncio.Lock()

    async def acknowledge(self, message: PulledMessage) -> None:
        """It is handled. Where this cannot be said, it comes again."""
        self._held.pop(message.ack_id, None)
        try:
            await self._pubsub.acknowledge(self._subscription, [message.ack_id])
        except WindrowError as error:
            self._say_unsettled([message], "acknowledge", error)

    async def give_back(self, *messages: PulledMessage, after: float = 0) -> None:
        """They were not handled: anybody may have them, after so many seconds."""
        # who was cancelled while he acknowledged may have been heard
        given = [message.ack_id for message in messages if self._held.pop(message.ack_id, None)]
        if not given:
            return
        try:
            # an extension that is under way must not overtake it
            async with asyncio.timeout(_GIVE_BACK_SECONDS), self._extending:
                await self._pubsub.extend(self._subscription, given, int(after))
        except (WindrowError, TimeoutError) as trouble:
            self._say_unsettled(messages, "give back", classify(trouble))

    async def keep_extending(self) -> None:
        """Until cancelled. At once, too: how long the subscription itself gives us, only its owner may ask."""
        while True:
            async with self._extending:
                if self._held:
                    await self._extend()
            await asyncio.sleep(self._seconds / 3)

    async def _extend(self) -> None:
        try:
            await self._pubsub.extend(self._subscription, list(self._held), self._seconds)
        except WindrowError as error:
            # there are two more beats before the deadline, and what comes twice has the same id
            self._say_unsettled(list(self._held.values()), "extend", error)

    def _say_unsettled(self, messages: Iterable[PulledMessage], step: str, error: WindrowError) -> None:
        for message in messages:
            emit(
                "pulled.unsettled",
                subscription=self._subscription,
                message_id=message.message_id,
                step=step,
                error_class=error.error_class,
                code=error.code,
                reason=error.message,
            )


@asynccontextmanager
async def holding(
    pubsub: PubSub, subscription: str, messages: Iterable[PulledMessage], hold: timedelta
) -> AsyncIterator[Hand]:
    """Hold on to the messages for as long as the body works."""
    hand = Hand(pubsub, subscription, messages, hold)
    extending = asyncio.create_task(hand.keep_extending())
    try:
        yield hand
    finally:
        extending.cancel()
        await asyncio.wait({extending})
    if not extending.cancelled():
        extending.result()
