"""A stage for the orchestration: real Temporal in a namespace of its own, real Postgres, the shop as the source."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from temporalio.client import Client, WorkflowExecutionStatus, WorkflowHandle
from temporalio.service import RPCError
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, OPERATOR, Shop, ShopConfig, ShopConnector, context_of

from windrow import endpoints
from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.orders import SyncOrder
from windrow.contracts.page import Cursor, Page
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.preview import preview
from windrow.harvest.subscriber import Subscriber
from windrow.orchestration import controls, names
from windrow.orchestration.activities.collection import CollectionActivities
from windrow.orchestration.activities.export import ExportActivities
from windrow.orchestration.activities.lifecycle import LifecycleActivities
from windrow.orchestration.activities.preview import PreviewActivities
from windrow.orchestration.activities.retention import RetentionActivities
from windrow.orchestration.controls import Standing
from windrow.orchestration.lifecycle import FOLLOWS, State
from windrow.orchestration.worker import WorkerLimits, Workers, workers
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

QUEUES = (names.META_TS, names.META_PY)


class Turnstile(Shop):
    """A source that gives a page only when it is let: `reached` says that it was asked for one."""

    def __init__(self, things: int = 120) -> None:
        super().__init__()
        self.puts(*(f"thing-{number:03d}" for number in range(things)))
        self.reached: asyncio.Queue[Cursor] = asyncio.Queue()
        self._tokens = asyncio.Semaphore(0)
        self.at_once = self.most_at_once = 0

    def lets(self, pages: int = 1) -> None:
        for _ in range(pages):
            self._tokens.release()

    async def passes(self, cursor: Cursor) -> None:
        self.reached.put_nowait(cursor)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            await self._tokens.acquire()
        finally:
            self.at_once -= 1

    def connector(self, run_id: str = "run") -> ShopConnector:
        return _Turning(ShopConfig(), context_of(run_id), self)


class _Turning(ShopConnector):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        assert isinstance(self.shop, Turnstile)
        await self.shop.passes(cursor)
        async for page in super().fetch_pages(cursor, page_size):
            yield page
            if not page.last:
                await self.shop.passes(page.cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the workers of a play have, where it is not the usual."""

    tenant_runs: int = 4
    previews: int = 2
    can_preview: bool = True
    heartbeat: timedelta = timedelta(seconds=30)
    grace: timedelta = timedelta(seconds=30)
    identity: str | None = None
    destination: Callable[[Any], Any] | None = None
    part_items: int = 100_000
    payload_hashes: bool = False
    spec_of: Callable[[str], ConnectorSpec] = lambda _: ShopConnector.spec
    purges: dict[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(slots=True)
class Stage:
    """What a play needs: whose endpoint, where it is started, who works."""

    database: Database
    client: Client
    shop: Shop
    endpoint: Endpoint
    workers: Workers
    working: "asyncio.Task[None]"

    async def start(self, trigger: str = "schedule", workflow_id: str | None = None) -> WorkflowHandle[Any, Any]:
        scope = self.endpoint.scope
        return await self.client.start_workflow(
            names.ENDPOINT_SYNC,
            SyncOrder(
                tenant_id=scope.tenant_id,
                project_id=scope.project_id,
                endpoint_id=self.endpoint.endpoint_id,
                trigger=trigger,
            ),
            id=workflow_id or f"sync/{self.endpoint.endpoint_id}/{uuid.uuid4().hex[:8]}",
            task_queue=names.META_TS,
        )

    async def states(self) -> list[str]:
        """The lifecycle as it was recorded, from the beginning."""
        return [step.state for step in await self.steps()]

    async def steps(self) -> list[Standing]:
        scope = self.endpoint.scope
        async with self.database.tenant(scope.tenant_id) as tx:
            return (await controls.steps(tx, scope, self.endpoint.endpoint_id, limit=100))[::-1]

    async def check_steps(self) -> None:
        """Every play keeps to the lifecycle: each step may follow the one before it, and none is missing."""
        last: dict[str, Standing] = {}
        for step in sorted(await self.steps(), key=lambda step: (step.workflow_id, step.number)):
            before = last.get(step.workflow_id)
            assert before is None or (before.number + 1, before.state) == (step.number, step.before), (before, step)
            assert step.before is None or State(step.state) in FOLLOWS[State(step.before)], step
            last[step.workflow_id] = step

    async def until(self, state: str) -> Standing:
        """Wait until the lifecycle has come there."""
        while True:
            found = [step for step in await self.steps() if step.state == state]
            if found:
                return found[-1]
            await asyncio.sleep(0.05)

    async def run_states(self) -> list[tuple[str, str | None]]:
        """The runs as people see them, from the first: how each ended, and of what."""
        async with self.database.tenant(self.endpoint.scope.tenant_id) as tx:
            found = await runs.page(tx, self.endpoint.scope.project_id, endpoint=self.endpoint.endpoint_id, limit=20)
        return [(run.outcome or run.state, run.code) for run in reversed(found)]

    @property
    def collection_id(self) -> str:
        scope = self.endpoint.scope
        return names.collection_id(scope.tenant_id, scope.project_id, self.endpoint.endpoint_id)

    async def waiting(self) -> dict[str, Any]:
        """What the run under way answers, once it waits for its next try."""
        while True:
            with suppress(RPCError):  # it is not there yet
                found: dict[str, Any] = await self.client.get_workflow_handle(self.collection_id).query("progress")
                if found.get("next_retry_at"):
                    return found
            await asyncio.sleep(0.05)

    async def stop_workers(self) -> None:
        """Begin to, as SIGTERM does."""
        self.working.cancel()
        await asyncio.sleep(0)  # it is told before anything else happens

    async def items(self) -> dict[str, bool]:
        """Names in the catalog, and whether each is gone."""
        async with self.database.tenant(self.endpoint.scope.tenant_id) as tx:
            cursor = await tx.connection.execute("SELECT external_id, deleted FROM items")
            return {row["external_id"]: row["deleted"] for row in await cursor.fetchall()}


@asynccontextmanager
async def staged(
    database: Database,
    client: Client,
    shop: Shop | None = None,
    *,
    endpoint_id: str | None = None,
    at: Endpoint | None = None,
    family: str = "harvesters",
    means: Means | None = None,
    **endpoint: Any,
) -> AsyncIterator[Stage]:
    """Workers for both queues, as long as the play takes; what is left running is ended with it."""
    shop = shop or Shop()
    made = at or await opened(database, endpoint_id, **endpoint)
    acting = working(database, client, shop, family, means or Means())
    task = asyncio.create_task(acting.run())
    await acting.ready.wait()
    stage = Stage(database, client, shop, made, acting, task)
    try:
        yield stage
        await stage.check_steps()
    finally:
        await _end_all(client)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def opened(database: Database, endpoint_id: str | None = None, **endpoint: Any) -> Endpoint:
    """An endpoint of the shop."""
    name = endpoint_id or f"shop-{uuid.uuid4().hex[:6]}"
    async with database.tenant(ACME.tenant_id) as tx:
        return await endpoints.add(tx, Endpoint(scope=ACME, endpoint_id=name, connector="shop", **endpoint), OPERATOR)


async def _end_all(client: Client) -> None:
    async for found in client.list_workflows("ExecutionStatus = 'Running'"):
        if found.status is WorkflowExecutionStatus.RUNNING:
            with suppress(RPCError):  # it has ended meanwhile
                await client.get_workflow_handle(found.id, run_id=found.run_id).terminate()


def working(database: Database, client: Client, shop: Shop, family: str, means: Means) -> Workers:
    """Workers, made and not yet run."""

    @asynccontextmanager
    async def open_shop(
        _endpoint: Endpoint, run_id: str, _cancelled: Callable[[], bool]
    ) -> AsyncIterator[Connector[Any]]:
        yield shop.connector(run_id)

    collection = CollectionActivities(
        database=database,
        open=open_shop,
        spec_of=means.spec_of,
        subscriber=Subscriber(database, Wakeups(database.url)),
        tenant_runs=means.tenant_runs,
        heartbeat_of=lambda _: means.heartbeat,
    )

    async def take(_endpoint: Endpoint, bounds: Any) -> Any:
        connector = shop.connector("preview")
        able = replace(connector.spec.capabilities, preview=means.can_preview)
        connector.spec = replace(connector.spec, capabilities=able)  # type: ignore[misc]
        return await preview(connector, bounds)

    def nowhere(_: Any) -> Any:
        raise AssertionError("nothing is exported here")

    return workers(
        {family: client},
        QUEUES,
        [
            collection.begin,
            collection.harvest_slice,
            collection.settle,
            collection.fail,
            collection.note_retry,
            collection.close_lane,
            LifecycleActivities(database).record_state,
            PreviewActivities(database=database, take=take, places=means.previews).sample,
            ExportActivities(
                database=database, destination=means.destination or nowhere, part_items=means.part_items
            ).write_part,
            RetentionActivities(means.purges).purge,
        ],
        limits=WorkerLimits(grace=means.grace),
        identity=means.identity,
        payload_hashes=means.payload_hashes,
    )


async def timers(client: Client, workflow_id: str, run_id: str | None = None) -> list[float]:
    """The waits of a workflow that came to their end: how long each was to be. None was shorter by the server's clock;
    how much longer is a matter of how busy the machine is."""
    begun: dict[int, Any] = {}
    waited = []
    async for event in client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history_events():
        if event.HasField("timer_started_event_attributes"):
            begun[event.event_id] = event
        if event.HasField("timer_fired_event_attributes"):
            since = begun[event.timer_fired_event_attributes.started_event_id]
            meant = since.timer_started_event_attributes.start_to_fire_timeout.ToTimedelta()
            took = event.event_time.ToDatetime() - since.event_time.ToDatetime()
            assert took >= meant
            waited.append(meant.total_seconds())
    return waited


async def chain(client: Client, workflow_id: str, first_run_id: str | None) -> list[str]:
    """The executions of a workflow that continued as new, from the first."""
    found: list[str] = []
    following = first_run_id
    while following:
        found.append(following)
        history = await client.get_workflow_handle(workflow_id, run_id=following).fetch_history()
        following = history.events[-1].workflow_execution_continued_as_new_event_attributes.new_execution_run_id
    return found


async def children(handle: WorkflowHandle[Any, Any]) -> list[str]:
    """The runs of a workflow's children, in order."""
    return [
        event.child_workflow_execution_started_event_attributes.workflow_execution.run_id
        async for event in handle.fetch_history_events()
        if event.HasField("child_workflow_execution_started_event_attributes")
    ]


async def until_so(looks: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again: for what Temporal's lists show, which are a little behind, nobody is woken."""
    while True:
        if await looks():
            return
        await asyncio.sleep(0.05)


async def until_said(said: Said, event: str, **fields: Any) -> dict[str, Any]:
    """The first line of an event with these fields, once it was said."""
    while True:
        for line in said.events(event):
            if fields.items() <= line.items():
                return line
        await asyncio.sleep(0.05)
