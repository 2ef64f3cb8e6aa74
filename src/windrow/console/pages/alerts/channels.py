"""The channels: who hears of what, where it goes, and how that fares. Where a webhook leads is a secret, and not known here."""

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.messages.glance import SubscriptionGlance
from windrow.notify import Channel, webhook_subscription

HEARS = {
    Channel.SECURITY: "a credential that a source refuses, or that cannot be read",
    Channel.OPS: "every other run that failed",
    Channel.MAINTAINERS: "runs and records that do not fit what was agreed",
    Channel.PAGER: "failed runs that have become too many",
}


@dataclass(frozen=True, slots=True)
class ChannelView:
    """A channel. No webhook: what it is told is in the log alone."""

    name: Channel
    hears: str
    webhook: SubscriptionGlance | None


def channels(subscriptions: Sequence[SubscriptionGlance]) -> list[ChannelView]:
    """All of them, as their subscriptions fare."""
    known = {one.name: one for one in subscriptions}
    return [
        ChannelView(
            channel,
            hears,
            known.get(webhook_subscription(channel).name),
        )
        for channel, hears in HEARS.items()
    ]
