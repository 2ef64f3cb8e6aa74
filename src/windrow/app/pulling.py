"""Events and jobs pulled from subscriptions of Pub/Sub, where nothing can push to us; handled like all that is pushed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

from windrow.app.pubsub import connected
from windrow.events.envelope import pulled
from windrow.events.opening import Opener
from windrow.events.pubsub import Message, Push
from windrow.messages.pubsub import PulledMessage, Puller, PullLimits
from windrow.settings import Settings


@asynccontextmanager
async def pulling(settings: Settings, opener: Opener) -> AsyncIterator[Mapping[str, Puller]]:
    """A puller for each subscription that the settings name; where they name none, nothing of Google's is loaded."""
    if not settings.pubsub_subscriptions:
        yield {}
        return
    limits = PullLimits(grace=timedelta(seconds=settings.shutdown_timeout_sec))
    async with connected(settings) as pubsub:
        yield {
            name: Puller(pubsub, name, partial(handled, opener, name), limits=limits)
            for name in settings.pubsub_subscriptions
        }


async def handled(opener: Opener, subscription: str, message: PulledMessage) -> bool:
    """Whether the message is settled. What may go better the next time is given back; the sweep sees to it as well."""
    about = Push(
        attempt=message.attempt or 1,
        message_id=message.message_id,
        subscription=subscription,
        published_at=message.published_at,
        ordering_key=message.ordering_key or None,
    )
    outcomes = await opener.opened(pulled(Message(message.data, message.attributes), about))
    return not any(one.retryable for one in outcomes)
