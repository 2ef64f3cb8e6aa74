"""A sample of a dataset, within bounds and within the endpoint's places."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from temporalio import activity

from windrow import endpoints
from windrow.contracts.orders import PreviewOrder
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview
from windrow.orchestration import names
from windrow.orchestration.activities.beating import Beating
from windrow.orchestration.activities.places import NoPlace, place, preview_places
from windrow.postgres import Database

Take = Callable[[Endpoint, Bounds], Awaitable[Preview]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewActivities:
    """`take` opens the endpoint's connector and takes the sample."""

    database: Database
    take: Take
    places: int = 2

    @activity.defn(name=names.SAMPLE)
    async def sample(self, order: PreviewOrder) -> dict[str, Any]:
        """OR-12: so many at once of an endpoint, and no more."""
        scope = Scope(order.tenant_id, order.project_id)
        async with self.database.tenant(order.tenant_id) as tx:
            endpoint = await endpoints.get(tx, scope, order.endpoint_id)
        bounds = Bounds(rows=order.rows, bytes=order.bytes, seconds=order.seconds)
        try:
            async with place(self.database, preview_places(scope, order.endpoint_id), self.places):
                shown = await Beating().during(lambda: self.take(endpoint, bounds))
        except NoPlace:
            return {"ended": "waiting"}
        document: dict[str, Any] = msgspec.to_builtins(shown)
        return document
