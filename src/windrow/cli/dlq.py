"""`windrow dlq`: what could not be delivered, why, and putting it back."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer

from windrow import messages
from windrow.app.compose import acting_for
from windrow.cli import show
from windrow.cli.frame import Json, Reason, Tenant, command, operator
from windrow.cli.topics import Limit, moment, tell
from windrow.contracts.errors import ValidationFailure

dlq = typer.Typer(help="Dead letters: what could not be delivered, and why.", no_args_is_help=True)

Ids = Annotated[list[UUID] | None, typer.Argument(metavar="ID", help="The messages' ids.")]
Of = Annotated[str | None, typer.Option("--subscription", help="Only those of this subscription.")]
All = Annotated[bool, typer.Option("--all", help="All of them (of the subscription, if one is given).")]


@dlq.command("list")
@command
async def listed(
    subscription: Of = None,
    topic: Annotated[str | None, typer.Option(help="Only those of this topic.")] = None,
    before: Annotated[str | None, typer.Option(help="Only those that died before this time: the next page.")] = None,
    limit: Limit = 50,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Dead letters, the latest first, each with its reason."""
    until = moment(before) if before else None
    if isinstance(until, int):
        raise ValidationFailure("--before takes a time", hint="write 2026-01-31T12:00:00Z")
    async with acting_for(tenant) as tx:
        after = messages.LastLetter(_aware(until)) if until else None
        found = await messages.dead_letters(tx, subscription=subscription, topic=topic, after=after, limit=limit)
    if json:
        show.document(found)
        return
    columns = ("message_id", "died_at", "subscription", "topic", "key", "attempts", "code", "reason")
    show.table(map(asdict, found), columns, empty="No dead letters: everything was delivered, or still may be.")


@dlq.command("show")
@command
async def shown(
    message_id: Annotated[UUID, typer.Argument(help="The message's id.")],
    subscription: Of = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """One message with what it said (redacted) and why each subscription could not take it."""
    async with acting_for(tenant) as tx:
        found = await messages.show_dead_letter(tx, message_id, subscription=subscription)
    if json:
        show.document(found)
        return
    for letter in found:
        show.pairs(asdict(letter))


@dlq.command()
@command
async def replay(
    ids: Ids = None,
    subscription: Of = None,
    everything: All = False,
    reason: Reason = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Put dead letters back, each with its id and a fresh budget."""
    chosen = choice(ids, everything)
    async with acting_for(tenant) as tx:
        back = await messages.replay_dead_letters(
            tx, actor=operator(), message_ids=chosen, subscription=subscription, reason=reason
        )
    tell({"replayed": len(back), "message_ids": [str(letter.message_id) for letter in back]}, json)


@dlq.command()
@command
async def discard(
    ids: Ids = None,
    subscription: Of = None,
    everything: All = False,
    reason: Reason = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Give dead letters up for good; the audit trail keeps who did it and why."""
    chosen = choice(ids, everything)
    async with acting_for(tenant) as tx:
        gone = await messages.discard_dead_letters(
            tx, actor=operator(), message_ids=chosen, subscription=subscription, reason=reason
        )
    tell({"discarded": len(gone), "message_ids": [str(letter.message_id) for letter in gone]}, json)


def choice(ids: Sequence[UUID] | None, everything: bool) -> Sequence[UUID] | None:
    """The ids that were named, or None for all; to name neither is not taken for all."""
    if bool(ids) == everything:
        raise ValidationFailure("name the messages, or say --all", hint="`windrow dlq list` shows their ids")
    return ids or None


def _aware(until: datetime) -> datetime:
    return until.astimezone() if until.tzinfo is None else until
