"""Messages: rows written with the change they announce, delivered in order per key by one relay.

    async with database.tenant(tenant) as tx:
        await jobs.finish(tx, job)
        await publish(tx, "jobs", {"job": job.id, "stage": "Done"}, key=job.id)

docs/explanation/messages.md tells how nothing is lost, doubled or overtaken.
"""

from windrow.messages.claims import claim, extend, holding
from windrow.messages.dead_letter import (
    DeadLetter,
    LastLetter,
    OpenedLetter,
    dead_letters,
    discard_dead_letters,
    replay_dead_letters,
    show_dead_letter,
)
from windrow.messages.everywhere import subscribe_everywhere, subscribe_newcomers, unsubscribe_everywhere
from windrow.messages.message import Delivery, Draft, Message, stable_id
from windrow.messages.publishing import publish, publish_many
from windrow.messages.pump import RelayLimits
from windrow.messages.relay import Pass, Relay
from windrow.messages.retention import measure_lag, purge
from windrow.messages.routing import PUBLISHED_CHANNEL, ROUTED_CHANNEL, Routed, route
from windrow.messages.settle import Outcome, ack, nack, release
from windrow.messages.sink import Sink
from windrow.messages.subscription import (
    BEGINNING,
    Subscription,
    SubscriptionStatus,
    replay,
    subscribe,
    subscriptions,
    unsubscribe,
)
from windrow.messages.topic import Peeked, Topic, declare, peek, topics
from windrow.messages.webhook import Poster, SigningSecret, Webhook

__all__ = [
    "BEGINNING",
    "PUBLISHED_CHANNEL",
    "ROUTED_CHANNEL",
    "DeadLetter",
    "Delivery",
    "Draft",
    "LastLetter",
    "Message",
    "OpenedLetter",
    "Outcome",
    "Pass",
    "Peeked",
    "Poster",
    "Relay",
    "RelayLimits",
    "Routed",
    "SigningSecret",
    "Sink",
    "Subscription",
    "SubscriptionStatus",
    "Topic",
    "Webhook",
    "ack",
    "claim",
    "dead_letters",
    "declare",
    "discard_dead_letters",
    "extend",
    "holding",
    "measure_lag",
    "nack",
    "peek",
    "publish",
    "publish_many",
    "purge",
    "release",
    "replay",
    "replay_dead_letters",
    "route",
    "show_dead_letter",
    "stable_id",
    "subscribe",
    "subscribe_everywhere",
    "subscribe_newcomers",
    "subscriptions",
    "topics",
    "unsubscribe",
    "unsubscribe_everywhere",
]
