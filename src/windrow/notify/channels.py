"""Which channel has a webhook, and the subscriptions that lead there.

Whoever tells a notice knows no settings, and a tenant's channel begins with its first notice. So the processes that
relay look, every few seconds, for channels that lack a subscription of theirs. Only who has a webhook subscribes it,
and nobody takes away another's: a process that was started without the setting must not swallow a page.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Actor
from windrow.messages import BEGINNING, Subscription, subscribe, unsubscribe
from windrow.notify.notice import Channel
from windrow.notify.sinks import LOG_SINK
from windrow.notify.telling import topic_of
from windrow.postgres import Database, load
from windrow.telemetry import emit
from windrow.vault import Reference

Q = load(__package__, "channels.sql")

# about five hours: a chat that is away for lunch loses nothing
PATIENCE = RetryPolicy(timedelta(seconds=2), timedelta(minutes=10), attempts=40, spread=0.5)
# what a webhook that is set today hears of before
BACKLOG = timedelta(hours=1)
_WEBHOOK = "webhook:"


def hooks(words: Iterable[str]) -> dict[Channel, str]:
    """The credential_ref of each channel's webhook, from words such as `pager=webhook:env:PAGER_HOOK` and `ops=log`."""
    found: dict[Channel, str] = {}
    for word in words:
        name, _, sink = word.partition("=")
        if name not in tuple(Channel):
            raise _malformed(f"{name[:40]!r} is no channel", f"the channels are {', '.join(Channel)}")
        channel = Channel(name)
        if channel in found:
            raise _malformed(f"{channel} has two webhooks", "name one: what is behind it can pass notices on")
        if sink != "log":
            found[channel] = _reference(channel, sink)
    return found


def log_subscription(channel: Channel) -> Subscription:
    """Every channel is logged."""
    return Subscription(name=f"{topic_of(channel)}.log", topic=topic_of(channel), sink=LOG_SINK, policy=PATIENCE)


def webhook_subscription(channel: Channel) -> Subscription:
    """A sink of its own for each channel: a dead webhook of one holds up no other's."""
    topic = topic_of(channel)
    return Subscription(name=f"{topic}.webhook", topic=topic, sink=topic, policy=PATIENCE)


async def attach(database: Database, with_webhook: Collection[Channel]) -> int:
    """See that the channels of all tenants are subscribed by what this process serves; how many were not yet."""
    wanted = {one.name: one for one in [*map(log_subscription, Channel), *map(webhook_subscription, with_webhook)]}
    async with database.system() as tx:
        missing = await tx.rows(Q.missing, topics=[one.topic for one in wanted.values()], subscriptions=list(wanted))
    failed: WindrowError | None = None
    for row in missing:
        try:
            await _attach(database, row["tenant_id"], wanted[row["subscription"]])
        except WindrowError as error:
            failed = failed or error  # the trouble of one tenant is not the others'
    if failed:
        raise failed
    return len(missing)


async def _attach(database: Database, tenant_id: str, subscription: Subscription) -> None:
    is_log = subscription.sink == LOG_SINK
    async with database.tenant(tenant_id) as tx:
        await subscribe(tx, subscription, since=BEGINNING if is_log else datetime.now(UTC) - BACKLOG)
    emit("channel.attached", tenant_id=tenant_id, topic=subscription.topic, subscription=subscription.name)


async def detach(database: Database, channel: Channel, *, actor: Actor, reason: str | None = None) -> int:
    """Take a channel's webhook away in all tenants, with what it still had to receive; in how many."""
    name = webhook_subscription(channel).name
    async with database.system() as tx:
        tenants = [row["tenant_id"] for row in await tx.rows(Q.attached, subscription=name)]
    for tenant_id in tenants:
        async with database.tenant(tenant_id) as tx:
            await unsubscribe(tx, name, actor=actor, reason=reason)
    return len(tenants)


def _reference(channel: Channel, sink: str) -> str:
    """The credential_ref in the word. What is wrong is not repeated: people paste the address itself."""
    if not sink.startswith(_WEBHOOK):
        raise _malformed(f"the sink of {channel} is neither `log` nor begins with `webhook:`")
    try:
        return str(Reference.parse(sink.removeprefix(_WEBHOOK)))
    except ValidationFailure as error:
        raise _malformed(f"the webhook of {channel}: {error.message}") from None


def _malformed(
    what: str, hint: str = "write for example pager=webhook:env:PAGER_HOOK (docs/how-to/alerts.md)"
) -> Fatal:
    return Fatal(f"WINDROW_NOTIFY: {what}", code=Code.CONFIGURATION, hint=hint)
