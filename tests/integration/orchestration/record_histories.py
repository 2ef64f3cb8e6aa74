"""Records a history of every workflow, for the replay tests: `python -m tests.integration.orchestration.record_histories`.

To be run when a workflow was given a new way through it, never to make a replay that fails succeed: the histories that are
there are those of workflows that run somewhere. See docs/explanation/changing-workflows.md.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle, WorkflowHistory
from temporalio.testing import TimeSkipper, WorkflowEnvironment
from tests.conftest import made_database
from tests.engines import Engines
from tests.integration.catalog.shelf import add
from tests.integration.harvest.shop import ACME, Shop
from tests.integration.orchestration.stage import Means, Stage, Turnstile, chain, staged

from windrow.catalog.destination import Directory
from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure
from windrow.contracts.orders import ExportOrder, PreviewOrder, RunOrder
from windrow.orchestration import names, search_attributes, starting
from windrow.orchestration.workflows.retention import KINDS
from windrow.postgres import Database
from windrow.postgres.migrate import migrate
from windrow.stack.programs import temporal_program

HISTORIES = Path(__file__).parent / "histories"
_NOBODY = "recorder"
# of events in a history, when a server suggests to begin another; 4,096 by default
SHORT = "limit.historyCount.suggestContinueAsNew=20"


@dataclass(frozen=True, slots=True)
class Recorder:
    """Where the plays are played; `keep` writes down what came of one."""

    database: Database
    client: Client
    scratch: Path

    def stage(self, shop: Shop, family: str = "harvesters", **more: Any) -> Any:
        more["means"] = more.get("means") or Means(identity=_NOBODY)
        return staged(self.database, self.client, shop, family=family, **more)

    async def keep(self, name: str, handle: WorkflowHandle[Any, Any]) -> None:
        await asyncio.gather(handle.result(), return_exceptions=True)
        history: WorkflowHistory = await handle.fetch_history()
        HISTORIES.mkdir(exist_ok=True)
        told = _without_places(json.loads(history.to_json()))
        (HISTORIES / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")


def _without_places(told: Any) -> Any:
    """Stack traces say where on this machine the code lies, and a replay does not read them."""
    if isinstance(told, list):
        return [_without_places(one) for one in told]
    if isinstance(told, dict):
        return {name: _without_places(value) for name, value in told.items() if name != "stackTrace"}
    return told


def failing(*errors: Exception) -> Shop:
    """A source that fails with each of these in turn, and then works."""
    shop = Shop()
    shop.puts("apple", "pear")
    left = iter(errors)

    def asked(_: object) -> None:
        if error := next(left, None):
            raise error

    shop.asked = asked
    return shop


async def _collection_of(stage: Stage) -> WorkflowHandle[Any, Any]:
    return stage.client.get_workflow_handle(stage.collection_id)


async def sync_completed(recorder: Recorder) -> None:
    async with recorder.stage(failing()) as stage:
        handle = await stage.start()
        await recorder.keep("endpoint-sync-completed", handle)
        await recorder.keep("collection-done", await _collection_of(stage))


async def sync_backed_off(recorder: Recorder) -> None:
    malformed = [ValidationFailure("not what was agreed")] * 2
    async with recorder.stage(failing(*malformed)) as stage:
        handle = await stage.start()
        await recorder.keep("endpoint-sync-backed-off", handle)


async def sync_paused(recorder: Recorder) -> None:
    async with recorder.stage(Turnstile(things=2)) as stage:
        first = await stage.start()
        await stage.shop.reached.get()
        second = await stage.start()
        await second.signal("pause", "for a moment")
        await stage.until("Paused")
        await second.signal("resume")
        stage.shop.lets(5)
        await recorder.keep("endpoint-sync-paused", second)
        await first.result()


async def sync_failed(recorder: Recorder) -> None:
    async with recorder.stage(failing(Fatal("the token was revoked", code=Code.UNAUTHORIZED))) as stage:
        await recorder.keep("endpoint-sync-failed", await stage.start())
        await recorder.keep("collection-failed", await _collection_of(stage))


async def sync_cancelled(recorder: Recorder) -> None:
    async with recorder.stage(Turnstile(), page_size=50) as stage:
        handle = await stage.start()
        await stage.shop.reached.get()
        stage.shop.lets(1)
        await stage.shop.reached.get()
        await handle.cancel()
        await recorder.keep("endpoint-sync-cancelled", handle)
        await recorder.keep("collection-cancelled", await _collection_of(stage))


async def collection_retried(recorder: Recorder) -> None:
    errors = (Conflict("the cursor was moved"), RetryableTransient("away", code=Code.NETWORK))
    async with recorder.stage(failing(*errors)) as stage:
        await recorder.keep("endpoint-sync-waited", await stage.start())
        await recorder.keep("collection-retried", await _collection_of(stage))


async def backfill(recorder: Recorder) -> None:
    async with recorder.stage(failing(ValidationFailure("not what was agreed")), "backfills") as stage:
        await recorder.keep(
            "backfill", await starting.backfill(stage.client, stage.endpoint, "again", "backfill-again")
        )


async def preview(recorder: Recorder) -> None:
    async with recorder.stage(failing()) as stage:
        scope = stage.endpoint.scope
        order = PreviewOrder(
            tenant_id=scope.tenant_id, project_id=scope.project_id, endpoint_id=stage.endpoint.endpoint_id
        )
        await recorder.keep("preview", await starting.preview(stage.client, order, "preview/one", stage.endpoint))


async def export(recorder: Recorder) -> None:
    means = Means(identity=_NOBODY, destination=lambda _: Directory(recorder.scratch))
    async with recorder.stage(failing(), "backfills", means=means) as stage:
        order = ExportOrder(tenant_id=ACME.tenant_id, project_id=ACME.project_id, export_id="all")
        await recorder.keep("export", await starting.export(stage.client, order))


async def retention(recorder: Recorder) -> None:
    async def nothing() -> int:
        return 0

    async with recorder.stage(failing(), means=Means(identity=_NOBODY, purges=dict.fromkeys(KINDS, nothing))) as stage:
        handle = await stage.client.start_workflow(names.RETENTION, id="retention", task_queue=names.META_TS)
        await recorder.keep("retention", handle)


async def _middle(recorder: Recorder, name: str, handle: WorkflowHandle[Any, Any]) -> None:
    """An execution that was continued as new, and then continues as new itself."""
    await handle.result()
    between = (await chain(recorder.client, handle.id, handle.first_execution_run_id))[1]
    await recorder.keep(name, recorder.client.get_workflow_handle(handle.id, run_id=between))


async def collection_continued(recorder: Recorder) -> None:
    shop = Turnstile(things=400)
    shop.lets(100)
    async with recorder.stage(shop) as stage:
        scope = stage.endpoint.scope
        order = RunOrder(
            tenant_id=scope.tenant_id,
            project_id=scope.project_id,
            endpoint_id=stage.endpoint.endpoint_id,
            run_id="long",
            slice_seconds=0,
            page_size=50,
        )
        started = await stage.client.start_workflow(
            names.COLLECTION, order, id=stage.collection_id, task_queue=names.META_TS
        )
        await _middle(recorder, "collection-continued", started)


async def sync_continued(recorder: Recorder) -> None:
    async with recorder.stage(failing(*[ValidationFailure("not what was agreed")] * 4)) as stage:
        await _middle(recorder, "endpoint-sync-continued", await stage.start())


async def export_continued(recorder: Recorder) -> None:
    await add(recorder.database, *(f"{number:03}" for number in range(95)), endpoint="other")
    means = Means(identity=_NOBODY, destination=lambda _: Directory(recorder.scratch / "parts"), part_items=10)
    async with recorder.stage(failing(), "backfills", means=means) as stage:
        order = ExportOrder(
            tenant_id=ACME.tenant_id, project_id=ACME.project_id, export_id="parts", endpoint_id="other"
        )
        await _middle(recorder, "export-continued", await starting.export(stage.client, order))


# on a server that wants short histories
CURT: tuple[Callable[[Recorder], Awaitable[None]], ...] = (collection_continued, sync_continued, export_continued)
PLAYS: tuple[Callable[[Recorder], Awaitable[None]], ...] = (
    sync_completed,
    sync_backed_off,
    sync_paused,
    sync_failed,
    sync_cancelled,
    collection_retried,
    backfill,
    preview,
    export,
    retention,
)


@asynccontextmanager
async def _skipping(*settings: str) -> AsyncIterator[Client]:
    always = "frontend.WorkflowTimeSkippingEnabled=true"
    async with await WorkflowEnvironment.start_time_skipping_v2(
        dev_server_existing_path=str(temporal_program()),
        dev_server_extra_args=[word for each in (always, *settings) for word in ("--dynamic-config-value", each)],
    ) as environment:
        client = await Client.connect(environment.client.service_client.config.target_host, identity=_NOBODY)
        await search_attributes.ensure(client)
        yield TimeSkipper(client).client


async def record(database_url: str, wanted: list[str]) -> None:
    await migrate(database_url)
    with tempfile.TemporaryDirectory() as scratch:
        for plays, settings in ((PLAYS, ()), (CURT, (SHORT,))):
            if not [play for play in plays if not wanted or play.__name__ in wanted]:
                continue
            async with Database(database_url, size=20) as database, _skipping(*settings) as client:
                for play in plays:
                    if not wanted or play.__name__ in wanted:
                        await play(Recorder(database, client, Path(scratch)))


def main() -> None:
    engines = Engines()
    try:
        with made_database(engines.addresses()["database_url"]) as url:
            asyncio.run(record(url, sys.argv[1:]))
    finally:
        engines.stop()


if __name__ == "__main__":
    main()
