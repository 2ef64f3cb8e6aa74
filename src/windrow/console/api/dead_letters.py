"""`/api/v1/dead-letters`: what could not be delivered, why, and putting it back. They are the whole tenant's: for admins."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from windrow import messages
from windrow.console.api.access import Admin
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.once import Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Name, Reason
from windrow.messages import DeadLetter, OpenedLetter
from windrow.postgres import load

router = resource("dead-letters")

Q = load(__package__, "dead_letters.sql")

MOST_CHOSEN = 1000


class Mark(NamedTuple):
    """Where a page of letters ends."""

    died_at: datetime
    subscription: str
    message_id: UUID


class Letters(BaseModel):
    """The letters of one message: one for each subscription that could not deliver it."""

    items: list[OpenedLetter]


class Choice(BaseModel):
    """Which letters are meant; of all subscriptions where none is named."""

    model_config = ConfigDict(extra="forbid")

    message_ids: list[UUID] = Field(min_length=1, max_length=MOST_CHOSEN)
    subscription: Name | None = None
    reason: Reason


class Chosen(BaseModel):
    """The messages of which a letter was put back or given up."""

    message_ids: list[UUID]

    @classmethod
    def of(cls, letters: Sequence[DeadLetter]) -> "Chosen":
        return cls(message_ids=[letter.message_id for letter in letters])


@router.get("/dead-letters")
async def listed(
    caller: Admin,
    here: Here,
    asked: Paged,
    subscription: Annotated[Name | None, Query(description="Only those of this subscription.")] = None,
    topic: Annotated[Name | None, Query(description="Only those of this topic.")] = None,
) -> Page[DeadLetter]:
    """Dead letters, the latest first, each with its reason."""
    turn = asked.about("dead-letters", Mark, subscription=subscription, topic=topic)
    last = turn.after
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await tx.into(
            DeadLetter,
            Q.page,
            subscription=subscription,
            topic=topic,
            died_at=last.died_at if last else None,
            last=last.subscription if last else None,
            message_id=last.message_id if last else None,
            limit=turn.ask_for,
        )
    return turn.page(found, lambda each: Mark(each.died_at, each.subscription, each.message_id))


@router.get("/dead-letters/{message_id}")
async def shown(caller: Admin, here: Here, message_id: UUID) -> Letters:
    """One message with what it said (redacted) and why each subscription could not take it."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return Letters(items=await messages.show_dead_letter(tx, message_id))


@router.post("/dead-letters/replay")
async def replayed(caller: Admin, here: Here, once: Repeatable, said: Choice) -> Chosen:
    """Put dead letters back, each with its id and a fresh budget."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Chosen:
            back = await messages.replay_dead_letters(
                tx,
                actor=caller.actor,
                message_ids=said.message_ids,
                subscription=said.subscription,
                reason=said.reason,
            )
            return Chosen.of(back)

        return await once.within(tx, Chosen, act)


@router.post("/dead-letters/discard")
async def discarded(caller: Admin, here: Here, once: Repeatable, said: Choice) -> Chosen:
    """Give dead letters up for good; the audit trail keeps who did it and why."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Chosen:
            gone = await messages.discard_dead_letters(
                tx,
                actor=caller.actor,
                message_ids=said.message_ids,
                subscription=said.subscription,
                reason=said.reason,
            )
            return Chosen.of(gone)

        return await once.within(tx, Chosen, act)
