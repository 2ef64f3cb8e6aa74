"""`/api/v1/endpoints/{name}/cursor`: how far a source has been read; fingerprints, never tokens (OR-51)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, StringConstraints

from windrow.console.api.access import Reader
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.wording import NamedEndpoint
from windrow.harvest import steering
from windrow.harvest.cursors import Cursors
from windrow.outbox.lane import LIVE, Lane

router = resource("cursors")

_LANE = r"^(live|events|backfill:[a-z0-9][a-z0-9._-]{0,63})$"

LaneName = Annotated[str, StringConstraints(pattern=_LANE)]
OfLane = Annotated[LaneName, Query(description="live, events or backfill:<id>.")]


class CursorView(BaseModel):
    """Where the cursor of a lane is, and what a run that failed left behind."""

    lane: str
    cursor: str
    version: int
    batch_id: str | None
    item_count: int
    spec_ref: str | None
    last_writer: str
    updated_at: datetime
    partial: dict[str, Any] | None


@router.get("/endpoints/{name}/cursor")
async def shown(caller: Reader, here: Here, name: NamedEndpoint, lane: OfLane = LIVE) -> CursorView:
    """The cursor of one of the endpoint's lanes."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await steering.shown(tx, Cursors(Lane(caller.scope, name, lane), "cursor"))
    return CursorView(**found)
