"""What `windrow doctor` finds in Temporal, and what it mends."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.client import Client
from tests.integration.harvest.shop import ACME, OPERATOR

from windrow import endpoints
from windrow.app.checks import Check, Verdict
from windrow.app.everything import QUEUES
from windrow.app.orchestrating import connected, scheduled, working
from windrow.app.orchestration_checks import check_namespaces, check_schedules, check_workers
from windrow.app.outside import outside
from windrow.endpoints import Endpoint
from windrow.harvest.subscriber import Subscriber
from windrow.orchestration import schedules
from windrow.orchestration.worker import Workers
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

pytestmark = pytest.mark.asyncio


def settled(database_url: str, temporal_address: str, home: Path, environment: str) -> Settings:
    return Settings(
        home=home,
        database_url=database_url,
        temporal_address=temporal_address,
        environment=environment,
        namespace_separator="-",
    )


@pytest.fixture(scope="session")
def environment(temporal_address: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One whose namespaces are there: the server takes a while to learn of them."""
    name = f"t{secrets.token_hex(6)}"
    unused = settled("postgresql://nobody@127.0.0.1:1/none", temporal_address, tmp_path_factory.mktemp("home"), name)
    done = asyncio.run(check_namespaces(unused, repair=True))
    assert done.verdict is Verdict.OK, done
    assert f"{name}-harvesters created" in done.detail
    return name


@pytest.fixture
def settings(database: Database, temporal_address: str, tmp_path: Path, environment: str) -> Settings:
    return settled(database.url, temporal_address, tmp_path, environment)


async def add(database: Database, name: str) -> Endpoint:
    made = Endpoint(scope=ACME, endpoint_id=name, connector="files", schedule="0 6 * * mon-fri")
    async with database.tenant(ACME.tenant_id) as tx:
        return await endpoints.add(tx, made, OPERATOR)


@pytest.fixture
async def harvesters(settings: Settings) -> AsyncIterator[Client]:
    """The namespace in which schedules are; none is left behind."""
    client = (await connected(settings)).harvesters
    yield client
    async for entry in await client.list_schedules():
        await schedules.remove(client, entry.id)


async def until_well(check: Callable[[], Awaitable[Check]]) -> Check:
    """The doctor's word, once Temporal tells of what it was told a moment ago."""
    async with asyncio.timeout(60):
        while True:
            found = await check()
            if found.verdict is Verdict.OK:
                return found
            await asyncio.sleep(0.05)


async def agreed(settings: Settings) -> Check:
    return await until_well(lambda: check_schedules(settings, repair=False))


@pytest.mark.req("OR-2")
async def test_a_namespace_that_is_missing_is_told_with_what_mends_it(settings: Settings) -> None:
    elsewhere = settings.model_copy(update={"environment": "nowhere"})

    found = await check_namespaces(elsewhere, repair=False)

    assert found.verdict is Verdict.FAIL
    assert "nowhere-harvesters" in found.detail
    assert found.hint
    assert "windrow doctor --repair" in found.hint


async def test_namespaces_that_are_as_declared_are_well(settings: Settings) -> None:
    found = await check_namespaces(settings, repair=False)

    assert found.verdict is Verdict.OK
    assert found.detail.endswith("as declared")


@pytest.mark.usefixtures("harvesters")
async def test_a_schedule_that_temporal_lacks_is_told_and_repaired(settings: Settings, database: Database) -> None:
    await add(database, "handbook")

    lacking = await check_schedules(settings, repair=False)
    repaired = await check_schedules(settings, repair=True)

    assert (lacking.verdict, lacking.detail) == (Verdict.FAIL, "1 missing (such as sync/acme/main/handbook)")
    assert (repaired.verdict, "1 created" in repaired.detail) == (Verdict.OK, True)
    assert (await agreed(settings)).detail == "1 as Postgres has them"


async def test_a_schedule_that_nobody_wants_is_told_and_removed(
    settings: Settings, database: Database, harvesters: Client
) -> None:
    endpoint = await add(database, "handbook")
    ((_, known),) = await scheduled(database)
    await schedules.put(harvesters, endpoint, known)
    await agreed(settings)
    async with database.tenant(ACME.tenant_id) as tx:
        await endpoints.remove(tx, ACME, "handbook", actor=OPERATOR, reason="sold")

    surplus = await check_schedules(settings, repair=False)
    repaired = await check_schedules(settings, repair=True)

    assert (surplus.verdict, surplus.detail) == (Verdict.FAIL, "1 too many (such as sync/acme/main/handbook)")
    assert (repaired.verdict, "1 removed" in repaired.detail) == (Verdict.OK, True)


async def test_a_queue_that_nobody_serves_is_told(settings: Settings) -> None:
    found = await check_workers(settings)

    assert found.verdict is Verdict.FAIL
    assert all(queue in found.detail for queue in ("meta-py", "meta-ts"))
    assert found.hint
    assert "windrow worker" in found.hint


async def test_workers_are_counted_once_they_ask_for_work(settings: Settings, database: Database) -> None:
    temporal = await connected(settings)
    subscriber = Subscriber(database, Wakeups(database.url))
    async with (
        outside(settings, {}) as beyond,
        at_work(working(settings, database, beyond, subscriber, temporal, QUEUES)),
    ):
        found = await until_well(lambda: check_workers(settings))

    assert found.detail == "1 at work on meta-py and meta-ts"


@asynccontextmanager
async def at_work(crew: Workers) -> AsyncIterator[None]:
    task = asyncio.create_task(crew.run())
    await crew.ready.wait()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
