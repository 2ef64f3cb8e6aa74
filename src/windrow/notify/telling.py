"""To tell is to write a message in the transaction of what it tells: both are there, or neither."""

from functools import partial
from uuid import UUID, uuid4

from windrow.messages import Draft, publish_many, stable_id
from windrow.notify.notice import Channel, Notice
from windrow.postgres import Transaction
from windrow.telemetry.catalogue import notify as told


def topic_of(channel: Channel) -> str:
    """A topic for each channel, so that none waits for another."""
    return f"notify.{channel}"


async def tell(tx: Transaction, notice: Notice) -> UUID:
    """Tell the channel once this commits; the id that every delivery will carry. A dedupe key told before tells nothing."""
    topic = topic_of(notice.channel)
    draft = Draft(
        payload=notice.document(),
        key=notice.subject,
        attributes={"severity": notice.severity},
        message_id=stable_id(topic, notice.dedupe_key) if notice.dedupe_key else uuid4(),
    )
    if await publish_many(tx, topic, [draft]):
        tx.after_commit(partial(told.NOTICES.add, 1, channel=notice.channel, severity=notice.severity))
    return draft.message_id
