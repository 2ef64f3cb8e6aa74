"""The Pub/Sub sink: one message for each delivery, with our id in its attributes."""

from windrow.messages.message import Delivery
from windrow.messages.pubsub.calls import PubSub
from windrow.messages.pubsub.envelope import sealed


class PubSubTopic:
    """Delivers to one topic there. The relay hands a key's messages over one at a time, so Pub/Sub has them in our order."""

    def __init__(self, pubsub: PubSub, topic: str) -> None:
        self._pubsub, self._topic = pubsub, topic

    async def deliver(self, delivery: Delivery) -> None:
        """Publish it once; whatever Pub/Sub does not take raises."""
        await self._pubsub.publish(self._topic, sealed(delivery.message))
