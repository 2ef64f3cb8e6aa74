"""The process of the stories: one run of one endpoint, as `windrow sync --here` does it, but for its patience.

Waits are cut short (a fake's troubles end by being met, not by time), and the clock that the connector sees may be ahead, so that
what is due once a day is due. Forked from a server that has imported everything: one costs hundredths of a second.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from windrow import endpoints
from windrow.app.outside import outside
from windrow.app.sources import Sources
from windrow.connectors.connector import Connector
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.harvest.slice import Order
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import Sync
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import read
from windrow.telemetry import log
from windrow.telemetry.declare import Level

LONGEST_WAIT = 0.02


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What to harvest, with which settings and credentials in the environment, and where to write what is said."""

    environment: dict[str, str]
    database_url: str
    scope: Scope
    endpoint_id: str
    run_id: str
    ahead: timedelta
    log: Path


def live(errand: Errand, told: Connection) -> None:
    """One run to its end; what it came to is told: `ok`, or what failed."""
    os.environ.update(errand.environment)
    with errand.log.open("a", buffering=1) as written:
        log.configure(
            format=log.Format.JSON, level=Level.DEBUG, write=lambda line: print(line, file=written), strict=True
        )
        told.send(asyncio.run(_run(errand)))


async def _run(errand: Errand) -> str:
    settings = read()
    async with Database(errand.database_url, size=6) as database, outside(settings, os.environ) as beyond:
        async with database.tenant(errand.scope.tenant_id) as tx:
            endpoint = await endpoints.get(tx, errand.scope, errand.endpoint_id)
        sources = Sources(settings, database, beyond.vault)
        sync = Sync(
            database=database,
            subscriber=Subscriber(database, Wakeups(database.url)),
            connector=lambda: _opened(sources, endpoint, errand),
            wait=_impatient,
        )
        order = Order(
            endpoint=endpoint,
            lane=Lane(errand.scope, errand.endpoint_id),
            run_id=errand.run_id,
            budget=timedelta(seconds=60),
        )
        try:
            await sync.run(order)
        except WindrowError as error:
            return f"{error.error_class} {error.code}: {error}"
    return "ok"


async def _impatient(seconds: float) -> None:
    await asyncio.sleep(min(seconds, LONGEST_WAIT))


@asynccontextmanager
async def _opened(sources: Sources, endpoint: Endpoint, errand: Errand) -> AsyncIterator[Connector[Any]]:
    async with sources.open(endpoint, errand.run_id, lambda: False) as connector:
        now = connector.context.now
        connector.context = replace(connector.context, now=lambda: now() + errand.ahead)
        yield connector
