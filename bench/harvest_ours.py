"""Ours: an in-process source and the harvester in this process, the subscriber in another."""

import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from pydantic import BaseModel

from bench.harvest_shelf import Shelf
from windrow import catalog, endpoints
from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.permits import Permits
from windrow.connectors.spec import ConnectorSpec, PageSizes
from windrow.connectors.standalone import MemoryNotes, no_credential
from windrow.contracts.page import Cursor, Page, Transformed
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.run import verify
from windrow.harvest.slice import Order, harvest
from windrow.http import HttpClient
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.telemetry import emit, log
from windrow.telemetry.declare import Level

SCOPE = Scope("bench", "main")
LANE = Lane(SCOPE, "bench")
CONNECTIONS = 8


class BenchConfig(BaseModel):
    """Nothing to say."""


class BenchConnector(Connector[BenchConfig]):
    """Rows that are there already, by number."""

    spec = ConnectorSpec(
        name="bench",
        version="1",
        title="Rows in memory",
        source_system="bench",
        config=BenchConfig,
        page_sizes=PageSizes(standard=500),
    )
    given: Iterator[dict[str, Any]] = iter(())

    async def prepare(self) -> list[Finding]:
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        at = cursor or 0
        while True:
            taken = list(islice(type(self).given, page_size))
            at += len(taken)
            last = len(taken) < page_size
            yield Page(records=taken, cursor=at, position=str(at), last=last)
            if last:
                return

    def transform(self, page: Page) -> Transformed:
        return Transformed(items=page.records, places=range(len(page.records)))


async def main(url: str, kind: str, items: int) -> None:
    log.configure(format=log.Format.JSON, level=Level.ERROR)
    async with Database(url, size=CONNECTIONS) as database:
        async with database.tenant(SCOPE.tenant_id) as tx:
            endpoint = await endpoints.add(
                tx, Endpoint(scope=SCOPE, endpoint_id="bench", connector="bench"), Actor("bench", "bench")
            )
        found = await (_many if kind == "many" else _twice)(url, database, endpoint, items)
    found["peak_mb"] = max(found["peak_mb"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(found))


@asynccontextmanager
async def subscribing(url: str) -> AsyncIterator[dict[str, float]]:
    """Beside us; what it says at its end is there afterwards."""
    command = [sys.executable, "-m", "bench.harvest_subscriber", url]
    pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*command, **pipes)
    assert process.stdin
    assert process.stdout
    await process.stdout.readline()
    said: dict[str, float] = {}
    try:
        yield said
    finally:
        process.stdin.close()
        told, _ = await process.communicate()
        said.update(json.loads(told))


async def _twice(url: str, database: Database, endpoint: Endpoint, items: int) -> dict[str, float]:
    """The load, and the same again: nothing has changed."""
    given = Shelf(0, items)
    # a subscriber for each: what it wrote is counted when it is gone
    async with subscribing(url) as subscriber:
        first = await _load(database, endpoint, iter(given), "first")
    before = await _written(url)
    async with subscribing(url):
        again = await _load(database, endpoint, iter(given), "again")
    written = await _written(url) - before
    began = time.perf_counter()
    await catalog.index_tenant(database, SCOPE.tenant_id)
    searchable = time.perf_counter() - began
    return {
        "seconds": first,
        "again_seconds": again,
        "again_written": written,
        "searchable_seconds": searchable,
        "peak_mb": subscriber["peak_mb"],
    }


async def _many(url: str, database: Database, endpoint: Endpoint, items: int) -> dict[str, float]:
    """To a million in steps: the rate of a load that begins at 10,000 items, and of one that ends there."""
    step = 50_000
    rates: list[float] = []
    async with subscribing(url) as subscriber:
        await _load(database, endpoint, iter(Shelf(0, 10_000)), "to-10k")
        for first in range(10_000, items, step):
            given = Shelf(first, step)
            rates.append(step / await _load(database, endpoint, iter(given), f"from-{first}"))
    return {"rate_at_start": max(rates[:2]), "rate_at_end": max(rates[-2:]), "peak_mb": subscriber["peak_mb"]}


async def _load(database: Database, endpoint: Endpoint, given: Iterator[dict[str, Any]], run_id: str) -> float:
    BenchConnector.given = given
    connector = BenchConnector(BenchConfig(), _context(run_id))
    began = time.perf_counter()
    order = Order(endpoint=endpoint, lane=LANE, run_id=run_id, budget=timedelta(hours=1))
    report = await harvest(database, connector, order)
    while True:
        async with database.tenant(SCOPE.tenant_id) as tx:
            verified = await verify(tx, run_id)
        if not verified.pending:
            break
        await asyncio.sleep(0.005)
    took = time.perf_counter() - began
    assert verified.accounts_for(report.totals.published), verified
    return took


def _context(run_id: str) -> Context:
    return Context(
        scope=SCOPE,
        endpoint_id="bench",
        run_id=run_id,
        notes=MemoryNotes(),
        say=emit,
        now=lambda: datetime.now(UTC),
        credential=no_credential,
        permits=Permits("bench"),
        http=HttpClient,
        cache=Path("unused"),
        cancelled=lambda: False,
    )


async def _written(url: str) -> float:
    """Rows of the items table that were ever inserted, updated or deleted, as Postgres counts them."""
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        await owner.execute("SELECT pg_stat_force_next_flush()")
        cursor = await owner.execute(
            "SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE schemaname = 'windrow' AND relname = 'items'"
        )
        row = await cursor.fetchone()
        assert row
        return float(row[0])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
