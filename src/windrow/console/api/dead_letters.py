"""`/api/v1/dead-letters`: what could not be delivered, why, and putting it back. They are the whole tenant's: for admins."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from windrow import messages
from windrow.console.api.access import Admin
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Behind, Here
from windrow.console.api.once import Once, Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Name, Reason
from windrow.messages import DeadLetter, LastLetter, OpenedLetter
from windrow.web.principal import Principal

router = resource("dead-letters")

MOST_CHOSEN = 1000


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
    turn = asked.about("dead-letters", LastLetter, subscription=subscription, topic=topic)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await messages.dead_letters(
            tx, subscription=subscription, topic=topic, after=turn.after, limit=turn.ask_for
        )
    return turn.page(found, lambda each: LastLetter(each.died_at, each.subscription, each.message_id))


@router.get("/dead-letters/{message_id}")
async def shown(caller: Admin, here: Here, message_id: UUID) -> Letters:
    """One message with what it said (redacted) and why each subscription could not take it."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return Letters(items=await messages.show_dead_letter(tx, message_id))


@router.post("/dead-letters/replay")
async def replayed(caller: Admin, here: Here, once: Repeatable, said: Choice) -> Chosen:
    """Put dead letters back, each with its id and a fresh budget."""
    return await _done(messages.replay_dead_letters, caller, here, once, said)


@router.post("/dead-letters/discard")
async def discarded(caller: Admin, here: Here, once: Repeatable, said: Choice) -> Chosen:
    """Give dead letters up for good; the audit trail keeps who did it and why."""
    return await _done(messages.discard_dead_letters, caller, here, once, said)


async def _done(
    do: Callable[..., Awaitable[Sequence[DeadLetter]]], caller: Principal, here: Behind, once: Once, said: Choice
) -> Chosen:
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Chosen:
            return Chosen.of(await do(tx, actor=caller.actor, **dict(said)))

        return await once.within(tx, Chosen, act)
