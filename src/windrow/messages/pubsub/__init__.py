"""Google Pub/Sub: topics of ours delivered to topics there, and subscriptions there pulled from.

    async with PubSub() as pubsub:
        sinks = {"pubsub.work": PubSubTopic(pubsub, "projects/acme/topics/work")}
        await Puller(pubsub, "projects/acme/subscriptions/work", handle).run()

Google's libraries (`windrow[gcp]`) are imported at the first call. docs/how-to/pubsub.md is the operator's page.
"""

from windrow.messages.pubsub.calls import PubSub
from windrow.messages.pubsub.endpoint import Endpoint
from windrow.messages.pubsub.mapping import mapped, sink_of, subscription_of
from windrow.messages.pubsub.puller import Puller, PullLimits
from windrow.messages.pubsub.received import PulledMessage
from windrow.messages.pubsub.sink import PubSubTopic

__all__ = [
    "Endpoint",
    "PubSub",
    "PubSubTopic",
    "PullLimits",
    "PulledMessage",
    "Puller",
    "mapped",
    "sink_of",
    "subscription_of",
]
