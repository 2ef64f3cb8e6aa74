"""`windrow notify`: who is told, where, and whether it arrives."""

import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from windrow import messages
from windrow import notify as told
from windrow.app import notifying
from windrow.app.compose import opened
from windrow.app.operators import own_credentials
from windrow.cli import show
from windrow.cli.frame import Json, Reason, Tenant, command, operator
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.retry import NEVER
from windrow.messages import Delivery, Message
from windrow.notify import Channel, Notice, Severity
from windrow.settings import read

notify = typer.Typer(help="Notices: who is told, where, and whether it arrives.", no_args_is_help=True)

Of = Annotated[Channel, typer.Argument(help="The channel.", show_choices=True)]


@notify.command()
@command
async def channels(tenant: Tenant = None, json: Json = False) -> None:
    """Every channel: where its notices go, and how delivery fares for the tenant."""
    settings = read()
    referred = told.hooks(settings.notify)
    async with opened(settings) as app, app.database.tenant(tenant or settings.tenant) as tx:
        faring = {one.name: one for one in await messages.subscriptions(tx)}
    rows = [row for channel in Channel for row in _rows(channel, referred.get(channel), faring)]
    if json:
        show.document(rows)
    else:
        show.table(rows, ("channel", "sink", "address", "pending", "failing", "dead_letters"), empty="")


@notify.command("test")
@command
async def trial(channel: Of, tenant: Tenant = None, json: Json = False) -> None:
    """Send a notice to the channel's webhook now, past the relay, and say what comes of it."""
    settings = read()
    reference = told.hooks(settings.notify).get(channel)
    if reference is None:
        raise ValidationFailure(
            f"{channel} has no webhook: its notices are in the log alone",
            hint=f"set one: WINDROW_NOTIFY={channel}=webhook:env:{channel.upper()}_HOOK (docs/how-to/alerts.md)",
        )
    delivery = _trial(channel, tenant or settings.tenant)
    async with own_credentials(settings, os.environ) as own, notifying.client(settings) as http:
        await notifying.hook(settings, http, reference, own.resolve).deliver(delivery)
    message_id = str(delivery.message.message_id)
    answer = {"channel": channel, "address": reference, "message_id": message_id, "outcome": "delivered"}
    (show.document if json else show.pairs)(answer)


@notify.command()
@command
async def detach(
    channel: Of,
    reason: Reason = None,
    json: Json = False,
) -> None:
    """Forget a webhook that was taken out of the settings: what it had still to receive is given up, in all tenants."""
    settings = read()
    if channel in told.hooks(settings.notify):
        raise ValidationFailure(
            f"{channel} has a webhook in the settings", hint=f"take {channel}=… out of WINDROW_NOTIFY first"
        )
    async with opened(settings) as app:
        tenants = await told.detach(app.database, channel, actor=operator(), reason=reason)
    (show.document if json else show.pairs)({"channel": channel, "tenants": tenants})


def _rows(
    channel: Channel, reference: str | None, faring: dict[str, messages.SubscriptionStatus]
) -> list[dict[str, Any]]:
    """One for the log, and one for the webhook that is set or still subscribed."""
    log, webhook = told.log_subscription(channel).name, told.webhook_subscription(channel).name
    rows = [_row(channel, "log", None, faring.get(log))]
    if reference or webhook in faring:
        rows.append(_row(channel, "webhook", reference or "(not set here)", faring.get(webhook)))
    return rows


def _row(
    channel: Channel, sink: str, address: str | None, status: messages.SubscriptionStatus | None
) -> dict[str, Any]:
    return {
        "channel": channel,
        "sink": sink,
        "address": address,
        "pending": status.pending if status else 0,
        "failing": status.failing if status else 0,
        "dead_letters": status.dead_letters if status else 0,
    }


def _trial(channel: Channel, tenant_id: str) -> Delivery:
    notice = Notice(
        channel=channel,
        title="a test",
        text="If you can read this, notices of this channel arrive.",
        severity=Severity.INFO,
        hint="nothing to do",
    )
    message = Message(
        tenant_id=tenant_id,
        topic=told.topic_of(channel),
        message_id=uuid.uuid4(),
        key=notice.subject,
        payload=notice.document(),
        attributes={},
        published_at=datetime.now(UTC),
    )
    return Delivery(
        message=message,
        subscription="windrow notify test",
        sink=None,
        position=0,
        attempt=1,
        claim=uuid.uuid4(),
        claimed_by="cli",
        ack_deadline=timedelta(seconds=30),
        policy=NEVER,
    )
