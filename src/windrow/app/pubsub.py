"""Google Pub/Sub as the settings want it: a sink for each topic that is mapped, and the subscriptions that lead there."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from windrow.app.background import Background
from windrow.messages import Sink, Subscription, subscribe_everywhere, subscribe_newcomers
from windrow.messages.pubsub import Endpoint, PubSub, PubSubTopic, mapped, sink_of, subscription_of
from windrow.postgres import Database
from windrow.settings import Settings

# how late the first message of a tenant may be
_SOON = timedelta(seconds=5)
# gRPC writes lines of its own to our log otherwise, whenever a connection ends or a process is started
_QUIET = {"GRPC_VERBOSITY": "ERROR", "GRPC_ENABLE_FORK_SUPPORT": "0"}


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[PubSub]:
    """Pub/Sub, for the length of a process."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    endpoint = Endpoint.parse(settings.pubsub_endpoint) if settings.pubsub_endpoint else None
    async with PubSub(endpoint) as pubsub:
        yield pubsub


@asynccontextmanager
async def sinks(settings: Settings) -> AsyncIterator[Mapping[str, Sink]]:
    """A sink for each topic that is mapped; none, and nothing of Google's, where none is."""
    topics = mapped(settings.pubsub_topics)
    if not topics:
        yield {}
        return
    async with connected(settings) as pubsub:
        yield {sink_of(topic): PubSubTopic(pubsub, there) for topic, there in topics.items()}


def keep_attached(background: Background, settings: Settings, database: Database) -> None:
    """Subscribe the mapped topics of all tenants, on the terms of the settings, and others as they begin."""
    for topic in mapped(settings.pubsub_topics):
        wish = subscription_of(topic, attempts=settings.pubsub_attempts)
        _attach(background, database, wish)


def _attach(background: Background, database: Database, wish: Subscription) -> None:
    background.start(f"{wish.name}.terms", lambda: subscribe_everywhere(database, wish))
    background.every(_SOON, f"{wish.name}.attach", lambda: subscribe_newcomers(database, wish))
