"""One run of one endpoint in this process, from the settings to the verified catalog."""

import os
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from windrow import endpoints
from windrow.app.outside import outside
from windrow.app.scribing import written_down
from windrow.app.sources import Sources
from windrow.contracts.scope import Scope
from windrow.harvest.run import Run
from windrow.harvest.slice import Order, SliceReport
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import Sync
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

SLICE = timedelta(seconds=60)


async def synced(
    settings: Settings,
    database: Database,
    scope: Scope,
    endpoint_id: str,
    *,
    watch: Callable[[SliceReport], None],
    cancelled: Callable[[], bool],
) -> Run:
    """Harvest the endpoint to its end, persist and verify it."""
    async with database.tenant(scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
    order = Order(
        endpoint=endpoint,
        lane=Lane(scope, endpoint_id),
        run_id=new_run_id(endpoint_id),
        budget=SLICE,
        watch=watch,
        cancelled=cancelled,
    )
    async with written_down(database), outside(settings, os.environ) as beyond:
        sources = Sources(settings, database, beyond.vault)
        run = Sync(
            database=database,
            subscriber=Subscriber(database, Wakeups(database.url)),
            connector=lambda: sources.open(endpoint, order.run_id, cancelled),
        )
        return await run.run(order)


def new_run_id(endpoint_id: str) -> str:
    """Readable, in order of time, and nobody else's."""
    return f"{endpoint_id}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}"
