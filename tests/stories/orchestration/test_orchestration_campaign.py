"""Many tenants at once: all are harvested, no endpoint twice at the same time, and nobody waits for somebody else's crowd.

Small in `make test`; in `make campaign` it is 200 endpoints of 20 tenants, scheduled for the same minute, and a tenant with
1,000 runs in the queue before another one's two.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.client import Client
from tests.conftest import Said
from tests.integration.harvest.shop import OPERATOR, Shop, ShopConfig, ShopConnector, context_of
from tests.integration.orchestration.conftest import made_namespace
from tests.integration.orchestration.stage import Means, working

from windrow import endpoints
from windrow.contracts.page import Cursor, Page
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.orchestration import schedules, starting
from windrow.orchestration.controls import Controls
from windrow.postgres import Database

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(900), pytest.mark.asyncio]

TENANT_RUNS = 4
Figure = Callable[[str, object], None]


class Market(Shop):
    """A source for everybody, which sees who reads at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.puts("apple", "pear", "plum")
        self.reading: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.of_one_tenant: Counter[str] = Counter()

    def connector(self, run_id: str = "run") -> ShopConnector:
        return _Seen(ShopConfig(), context_of(run_id), self)

    def enters(self, endpoint: str, by: int) -> None:
        tenant = endpoint.partition("-")[0]
        self.reading[endpoint] += by
        self.reading[tenant] += by
        self.most[endpoint] = max(self.most[endpoint], self.reading[endpoint])
        self.of_one_tenant[tenant] = max(self.of_one_tenant[tenant], self.reading[tenant])


class _Seen(ShopConnector):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        assert isinstance(self.shop, Market)
        endpoint = self.context.run_id.rsplit("-", 2)[0]
        self.shop.enters(endpoint, 1)
        try:
            async for page in super().fetch_pages(cursor, page_size):
                yield page
        finally:
            self.shop.enters(endpoint, -1)


class Fair:
    """A market day: tenants with endpoints, one worker for all of them."""

    def __init__(self, database: Database, client: Client, market: Market, said: Said) -> None:
        self.database, self.client, self.market, self._said = database, client, market, said

    async def tenant(self, name: str, count: int, schedule: str | None = None) -> list[Endpoint]:
        async with self.database.tenant(name) as tx:
            return [
                await endpoints.add(
                    tx,
                    Endpoint(
                        scope=Scope(name, "main"),
                        endpoint_id=f"{name}-{number}",
                        connector="shop",
                        schedule=schedule,
                    ),
                    OPERATOR,
                )
                for number in range(count)
            ]

    async def trigger(self, due: list[Endpoint]) -> None:
        """All of them, in this order."""
        turns = asyncio.Semaphore(16)

        async def one(endpoint: Endpoint) -> None:
            async with turns:
                await starting.trigger(self.client, self.database, endpoint, endpoint.endpoint_id, OPERATOR)

        await asyncio.gather(*(one(endpoint) for endpoint in due))

    def ended(self) -> list[str]:
        """The tenants of the runs that ended, in the order of their ends."""
        finals = [line for line in self._said.raw if '"run.finalized"' in line]
        return [line.partition('"tenant_id": "')[2].partition('"')[0] for line in finals]

    async def until(self, holds: Callable[[list[str]], bool]) -> list[str]:
        while True:
            ended = self.ended()
            if holds(ended):
                return ended
            await asyncio.sleep(0.1)


@pytest.fixture
async def fair(database: Database, temporal_address: str, said: Said) -> AsyncIterator[Fair]:
    client = await Client.connect(temporal_address, namespace=await made_namespace(temporal_address))
    market = Market()
    crew = working(database, client, market, "harvesters", Means(tenant_runs=TENANT_RUNS))
    serving = asyncio.create_task(crew.run())
    await crew.ready.wait()
    yield Fair(database, client, market, said)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


@pytest.mark.req("MW-71")
async def test_endpoints_that_are_due_in_the_same_minute_are_all_harvested_once_and_tenants_in_turn(
    fair: Fair, seed: int, record_property: Figure
) -> None:
    tenants, each = (20, 10) if seed else (4, 3)
    due = next_minute() if seed else datetime.now(UTC) + timedelta(days=1)
    made = [
        one for number in range(tenants) for one in await fair.tenant(f"t{number}", each, f"{due:%M} {due:%H} * * *")
    ]
    random.Random(seed).shuffle(made)
    for endpoint in made:
        await schedules.put(fair.client, endpoint, Controls())
    if not seed:
        for endpoint in made:
            await fair.client.get_schedule_handle(schedules.schedule_id(endpoint)).trigger()
    ended = await fair.until(lambda ended: len(ended) >= len(made))
    took = (datetime.now(UTC) - due).total_seconds()

    at_half = Counter(ended[: len(made) // 2])
    assert Counter(ended) == {f"t{number}": each for number in range(tenants)}
    assert set(fair.market.most.values()) == {1}, "an endpoint was read twice at the same time"
    assert max(fair.market.of_one_tenant.values()) <= TENANT_RUNS
    if seed:
        fewest, most = min(at_half[f"t{number}"] for number in range(tenants)), max(at_half.values())
        record_property(
            "figure",
            f"{len(made)} endpoints of {tenants} tenants, due in the same minute: all ended within {took:.0f} s of it;"
            f" when half had, tenants had between {fewest} and {most} of {each}",
        )
        assert fewest >= each // 5


@pytest.mark.req("MW-71")
async def test_a_crowd_of_one_tenant_does_not_keep_another_waiting(
    fair: Fair, seed: int, record_property: Figure
) -> None:
    crowd = 1000 if seed else 40
    many = await fair.tenant("crowd", crowd)
    few = await fair.tenant("few", 2)
    await fair.trigger(many)
    before = Counter(fair.ended())["crowd"]
    began = time.monotonic()

    await fair.trigger(few)
    ended = await fair.until(lambda ended: Counter(ended)["few"] == len(few))
    took = time.monotonic() - began
    meanwhile = Counter(ended)["crowd"] - before
    everybody = await fair.until(lambda ended: len(ended) == crowd + len(few))

    record_property(
        "figure",
        f"{len(few)} runs behind {crowd - before} of another tenant ended after {took:.1f} s, {meanwhile} of the crowd meanwhile;"
        f" all {len(everybody)} after {time.monotonic() - began:.0f} s",
    )
    assert meanwhile <= max(crowd // 10, 2 * TENANT_RUNS)
    assert fair.market.of_one_tenant["crowd"] <= TENANT_RUNS


def next_minute() -> datetime:
    """Far enough away that everything can be made ready."""
    return (datetime.now(UTC) + timedelta(seconds=75)).replace(second=0, microsecond=0)
