"""`/api/v1/outbox`: batches on their way into the catalog, and where they are stopped."""

from pydantic import BaseModel, ConfigDict

from windrow.console.api.access import Reader, Writer
from windrow.console.api.behind import Here
from windrow.console.api.cursors import LaneName
from windrow.console.api.once import Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.wording import NamedEndpoint, OfEndpoint, Reason
from windrow.outbox import stop
from windrow.outbox.lane import LIVE, Lane
from windrow.outbox.stop import LaneStatus

router = resource("outbox")


class Lanes(BaseModel):
    """Every lane, those that are stopped first."""

    items: list[LaneStatus]


class LaneWord(BaseModel):
    """An operator's word about a stopped lane."""

    model_config = ConfigDict(extra="forbid")

    lane: LaneName = LIVE
    reason: Reason


class Flowing(BaseModel):
    """The lane flows again; `batch` is the one at which it was stopped."""

    lane: str
    batch: int


@router.get("/outbox")
async def status(caller: Reader, here: Here, endpoint: OfEndpoint = None) -> Lanes:
    """Every lane: what is pending, how old it is, and where one is stopped, why."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return Lanes(items=await stop.statuses(tx, project=caller.scope.project_id, endpoint=endpoint))


@router.post("/outbox/{name}/retry")
async def retried(caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, said: LaneWord) -> Flowing:
    """Let a stopped lane try its batch again, in its place."""
    lane = Lane(caller.scope, name, said.lane)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Flowing:
            seq = await stop.retry(tx, lane, actor=caller.actor, reason=said.reason)
            return Flowing(lane=str(lane), batch=seq)

        return await once.within(tx, Flowing, act)


@router.post("/outbox/{name}/discard")
async def discarded(caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, said: LaneWord) -> Flowing:
    """Set aside the batch at which a lane is stopped; the lane goes on behind it. It is not applied later."""
    lane = Lane(caller.scope, name, said.lane)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Flowing:
            seq = await stop.discard(tx, lane, actor=caller.actor, reason=said.reason)
            return Flowing(lane=str(lane), batch=seq)

        return await once.within(tx, Flowing, act)
