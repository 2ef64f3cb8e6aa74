"""`windrow topics`: what is published, to whom, and again."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from windrow import messages
from windrow.app.compose import acting_for, opened
from windrow.cli import show
from windrow.cli.frame import Json, Reason, Tenant, command, operator
from windrow.cli.kv import parse
from windrow.contracts.errors import Code, ValidationFailure
from windrow.messages.pubsub import mapped, sink_of
from windrow.settings import read

topics = typer.Typer(help="Topics: what is published, who receives it, and sending it again.", no_args_is_help=True)

Topic = Annotated[str, typer.Argument(help="The topic's name.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many at the most.")]


@topics.command("list")
@command
async def listed(tenant: Tenant = None, json: Json = False) -> None:
    """Every topic: messages kept, not yet routed, dead letters."""
    async with acting_for(tenant) as tx:
        found = await messages.topics(tx)
    if json:
        show.document(found)
        return
    columns = ("name", "messages", "unrouted", "dead_letters", "oldest_at", "newest_at")
    show.table(map(asdict, found), columns, empty="No topic yet: one begins with its first message.")


@topics.command()
@command
async def subscriptions(
    topic: Annotated[str | None, typer.Argument(help="Only those of this topic.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Who receives what: pending messages, keys in hand, keys that fail, dead letters."""
    async with acting_for(tenant) as tx:
        found = await messages.subscriptions(tx, topic)
    if json:
        show.document(found)
        return
    columns = ("name", "topic", "sink", "pending", "in_hand", "failing", "dead_letters", "oldest_at")
    show.table(map(asdict, found), columns, empty="No subscription yet: `windrow topics subscribe`.")


@topics.command()
@command
async def peek(
    topic: Topic,
    key: Annotated[str | None, typer.Option(help="Only messages about this.")] = None,
    before: Annotated[int | None, typer.Option(help="Only positions below this one: the next page.")] = None,
    limit: Limit = 20,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """The newest messages of a topic; nothing is taken from anybody."""
    async with acting_for(tenant) as tx:
        found = await messages.peek(tx, topic, key=key, before=before, limit=limit)
    if json:
        show.document(found)
        return
    columns = ("position", "published_at", "message_id", "key", "payload")
    show.table(map(asdict, found), columns, empty="Nothing is kept in this topic.")


@topics.command()
@command
async def publish(
    topic: Topic,
    payload: Annotated[str, typer.Argument(help="The message, as JSON; `-` reads it from standard input.")],
    key: Annotated[str | None, typer.Option(help="What it is about: order holds within a key.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Publish a message by hand."""
    body = parse(payload)
    async with acting_for(tenant) as tx:
        message_id = await messages.publish(tx, topic, body, key=key)
    tell({"topic": topic, "message_id": str(message_id)}, json)


@topics.command()
@command
async def subscribe(
    name: Annotated[str, typer.Argument(help="The subscription's name.")],
    topic: Annotated[str, typer.Option(help="The topic whose messages it receives.")],
    sink: Annotated[
        str | None, typer.Option(help="The webhook it is pushed to (WINDROW_WEBHOOKS); pulled when not given.")
    ] = None,
    from_the_beginning: Annotated[
        bool, typer.Option("--from-the-beginning", help="Begin with what is kept already.")
    ] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Receive a topic's messages: pushed to a webhook, or pulled by a consumer."""
    settings = read()
    sinks = [word.partition("=")[0] for word in settings.webhooks]
    if sink and sink not in sinks:
        raise ValidationFailure(
            f"there is no sink {sink!r}",
            code=Code.NOT_FOUND,
            hint=f"WINDROW_WEBHOOKS names: {', '.join(sinks) or 'none'}",
        )
    wish = messages.Subscription(name=name, topic=topic, sink=sink)
    async with acting_for(tenant) as tx:
        new = await messages.subscribe(tx, wish, since=messages.BEGINNING if from_the_beginning else None)
    tell({"subscription": name, "topic": topic, "outcome": "created" if new else "updated"}, json)


@topics.command()
@command
async def unsubscribe(
    subscription: Annotated[str, typer.Argument(help="The subscription's name.")],
    everywhere: Annotated[bool, typer.Option("--everywhere", help="In all tenants that have it.")] = False,
    reason: Reason = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Give a subscription up, with what it had still to receive and its dead letters."""
    settings = read()
    if subscription in map(sink_of, mapped(settings.pubsub_topics)):
        raise ValidationFailure(
            f"{subscription} is wanted by the settings, and would begin anew",
            code=Code.INVALID,
            hint="take its topic out of WINDROW_PUBSUB_TOPICS of all processes first",
        )
    if everywhere:
        async with opened(settings) as app:
            tenants = await messages.unsubscribe_everywhere(app.database, subscription, actor=operator(), reason=reason)
        tell({"subscription": subscription, "tenants": tenants}, json)
        return
    async with acting_for(tenant) as tx:
        await messages.unsubscribe(tx, subscription, actor=operator(), reason=reason)
    tell({"subscription": subscription, "outcome": "removed"}, json)


@topics.command()
@command
async def replay(
    subscription: Annotated[str, typer.Argument(help="The subscription that is to receive again.")],
    since: Annotated[str, typer.Option(help="A position (see `topics peek`), or a time such as 2026-01-31T12:00:00Z.")],
    reason: Reason = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Deliver again what a subscription was given from a position or time on."""
    start = moment(since)
    async with acting_for(tenant) as tx:
        count = await messages.replay(tx, subscription, since=start, actor=operator(), reason=reason)
    tell({"subscription": subscription, "messages": count}, json)


def moment(text: str) -> int | datetime:
    """A position or a time."""
    if text.isdecimal():
        return int(text)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValidationFailure(
            f"{text[:40]!r} is neither a position nor a time",
            code=Code.INVALID,
            hint="write 17, or 2026-01-31T12:00:00Z",
        ) from None


def tell(answer: dict[str, Any], json: bool) -> None:
    """The answer of a command that did something."""
    (show.document if json else show.pairs)(answer)
