"""One process that harvests both ways: called directly, and as a worker that is told to by Temporal."""

import asyncio
import json
import sys
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg import AsyncConnection
from temporalio.client import Client

from bench.harvest_ours import LANE, SCOPE, BenchConfig, BenchConnector, _context
from bench.harvest_shelf import Shelf
from windrow import endpoints
from windrow.connectors.connector import Connector
from windrow.contracts.scope import Actor
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.run import Outcome
from windrow.harvest.settling import until_settled
from windrow.harvest.slice import Order, harvest
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import check_accounts
from windrow.orchestration import names, search_attributes, starting
from windrow.orchestration.activities.collection import CollectionActivities
from windrow.orchestration.activities.export import ExportActivities
from windrow.orchestration.activities.lifecycle import LifecycleActivities
from windrow.orchestration.activities.preview import PreviewActivities
from windrow.orchestration.activities.retention import RetentionActivities
from windrow.orchestration.worker import workers
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import log
from windrow.telemetry.declare import Level

ACTOR = Actor("bench", "bench")
# as a run of a shell has it, so that both make the same number of slices
SLICE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Both:
    """The two ways to the catalog."""

    database: Database
    subscriber: Subscriber
    client: Client
    endpoint: Endpoint

    async def directly(self) -> None:
        """What the activities do, one after the other."""
        run_id = f"direct-{uuid.uuid4().hex}"
        order = Order(endpoint=self.endpoint, lane=LANE, run_id=run_id, budget=SLICE)
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            await runs.begin_run(tx, LANE, run_id)
        while True:
            async with opened(self.endpoint, run_id, lambda: False) as connector:
                if (await harvest(self.database, connector, order)).outcome is Outcome.DONE:
                    break
        verified = await until_settled(self.database, self.subscriber, LANE, run_id)
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            check_accounts(await runs.find_run(tx, run_id), verified)
            await runs.end_run(tx, run_id, Outcome.DONE, settled=runs.as_document(verified))

    async def by_temporal(self) -> str:
        """From the trigger to the end, as whoever waits for it sees it; which workflow it was."""
        begun = await starting.trigger(self.client, self.database, self.endpoint, uuid.uuid4().hex, ACTOR)
        await begun.handle.result()
        return begun.workflow_id

    async def events(self, workflow_id: str) -> int:
        """How much Temporal wrote down about the latest run."""
        run = names.collection_id(SCOPE.tenant_id, SCOPE.project_id, self.endpoint.endpoint_id)
        histories = [await self.client.get_workflow_handle(one).fetch_history() for one in (workflow_id, run)]
        return sum(len(history.events) for history in histories)


async def main(url: str, address: str, items: int, rounds: int) -> None:
    log.configure(format=log.Format.JSON, level=Level.ERROR)
    given = Shelf(0, items)
    client = await Client.connect(address)
    await search_attributes.ensure(client)
    best: dict[str, float] = {}
    async with Database(url, size=8) as database, serving(database, client) as subscriber:
        for _ in range(rounds):
            for way in ("direct", "run"):
                both = Both(database, subscriber, client, await _afresh(url, database))
                BenchConnector.given = iter(given)
                took = await _timed(both.directly if way == "direct" else both.by_temporal)
                best[way] = min(took, best.get(way, took))
        BenchConnector.given = iter(())
        for _ in range(rounds):
            for way, work in (("direct_idle", both.directly), ("run_idle", both.by_temporal)):
                took = await _timed(work)
                best[way] = min(took, best.get(way, took))
        best["events"] = await both.events(await both.by_temporal())
    print(json.dumps(best))


@asynccontextmanager
async def serving(database: Database, client: Client) -> AsyncIterator[Subscriber]:
    """A worker for both queues, as `windrow worker` runs it."""
    wakeups = Wakeups(database.url)
    subscriber = Subscriber(database, wakeups)
    collection = CollectionActivities(
        database=database, open=opened, spec_of=lambda _: BenchConnector.spec, subscriber=subscriber
    )
    pollers = workers(
        {"harvesters": client},
        (names.META_PY, names.META_TS),
        [
            collection.begin,
            collection.harvest_slice,
            collection.settle,
            collection.fail,
            collection.note_retry,
            collection.close_lane,
            LifecycleActivities(database).record_state,
            PreviewActivities(database=database, take=_nothing).sample,
            ExportActivities(database=database, destination=_nothing).write_part,
            RetentionActivities({}).purge,
        ],
    )
    tasks = [asyncio.create_task(each()) for each in (wakeups.run, subscriber.run, pollers.run)]
    await asyncio.gather(wakeups.listening.wait(), pollers.ready.wait())
    try:
        yield subscriber
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def opened(_endpoint: Endpoint, run_id: str, _cancelled: Callable[[], bool]) -> AsyncIterator[Connector[Any]]:
    yield BenchConnector(BenchConfig(), _context(run_id))


def _nothing(*_: Any) -> Any:
    raise AssertionError("nobody asks for that here")


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def _afresh(url: str, database: Database) -> Endpoint:
    """An empty catalog, and an endpoint that was never harvested."""
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        cursor = await owner.execute(
            "SELECT string_agg(format('windrow.%I', tablename), ', ') FROM pg_tables"
            " WHERE schemaname = 'windrow' AND tablename <> 'migrations'"
        )
        row = await cursor.fetchone()
        assert row
        await owner.execute(f"TRUNCATE {row[0]}".encode())
    async with database.tenant(SCOPE.tenant_id) as tx:
        return await endpoints.add(tx, Endpoint(scope=SCOPE, endpoint_id="bench", connector="bench"), ACTOR)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
