"""`/api/v1/topics`: what is published, and who receives it. Messages are the whole tenant's, so only admins read them."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from windrow import messages
from windrow.console.api.access import Admin, Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Name, Word
from windrow.messages import Peeked, SubscriptionStatus, Topic

router = resource("topics")

# behind what is not routed yet, and has no position, comes what has one
_TOP = 2**63 - 1
COUNTED = 10_000


class Topics(BaseModel):
    """Every topic of the tenant."""

    items: list[Topic]


class Subscriptions(BaseModel):
    """Every subscription of the tenant, or of one topic."""

    items: list[SubscriptionStatus]


@router.get("/topics")
async def listed(caller: Reader, here: Here) -> Topics:
    """Every topic: messages kept, not yet routed, dead letters; of each no more than ten thousand are counted."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return Topics(items=await messages.topics(tx, counted=COUNTED))


@router.get("/subscriptions")
async def subscriptions(
    caller: Reader, here: Here, topic: Annotated[Name | None, Query(description="Only those of this topic.")] = None
) -> Subscriptions:
    """Who receives what: pending messages, keys in hand, keys that fail, dead letters."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return Subscriptions(items=await messages.subscriptions(tx, topic))


@router.get("/topics/{topic}/messages")
async def peeked(
    caller: Admin,
    here: Here,
    asked: Paged,
    topic: Annotated[Name, Path(description="The topic's name.")],
    key: Annotated[Word | None, Query(description="Only messages about this.")] = None,
) -> Page[Peeked]:
    """The newest messages of a topic, redacted; nothing is taken from anybody."""
    turn = asked.about("messages", int, topic=topic, key=key)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await messages.peek(tx, topic, key=key, before=turn.after, limit=turn.ask_for)
    return turn.page(found, lambda each: _TOP if each.position is None else each.position)
