"""A run that the workers do, started by hand and followed to its end."""

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.service import RPCError

from windrow import catalog
from windrow.app.orchestrating import BACKFILLS, HARVESTERS, connected
from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError
from windrow.contracts.scope import Actor, Scope
from windrow.harvest import run as runs
from windrow.harvest.run import Counts, Outcome, Run
from windrow.harvest.slice import SliceReport
from windrow.orchestration import scheduling, starting
from windrow.orchestration.failure import Failure
from windrow.orchestration.lifecycle import State
from windrow.postgres import Database, audit
from windrow.settings import Settings

_LOOK = 0.25
_QUERY = timedelta(seconds=5)
# how long nobody may take it up before we say so
_UNATTENDED = 20.0


async def followed(
    settings: Settings,
    database: Database,
    scope: Scope,
    endpoint_id: str,
    actor: Actor,
    *,
    watch: Callable[[SliceReport], None],
    stopped: asyncio.Event,
) -> Run:
    """Trigger a run and see it to its end; a failure that will be tried again is raised all the same, and says when."""
    found = await scheduling.look(database, scope, endpoint_id)
    client = (await connected(settings, (HARVESTERS,))).harvesters
    begun = await starting.trigger(client, database, found.endpoint, uuid.uuid4().hex, actor)
    try:
        return await Following(database, scope, begun.handle, watch, stopped).to_the_end()
    except Fatal as error:
        then = f"then `windrow schedule resume {endpoint_id}`: it is halted until somebody says so"
        error.hint = f"{error.hint}; {then}" if error.hint else then
        raise


async def backfilled(
    settings: Settings,
    database: Database,
    scope: Scope,
    endpoint_id: str,
    actor: Actor,
    *,
    watch: Callable[[SliceReport], None],
    stopped: asyncio.Event,
) -> Run:
    """Read the endpoint once more from its beginning, beside live, and see that to its end."""
    found = await scheduling.look(database, scope, endpoint_id)
    client = (await connected(settings, (BACKFILLS,))).backfills
    backfill_id = f"{datetime.now(UTC):%Y%m%dt%H%M%S}-{uuid.uuid4().hex[:6]}"
    run_id = f"{endpoint_id}-backfill-{backfill_id}"
    async with database.tenant(scope.tenant_id) as tx:
        await audit.record(
            tx,
            actor,
            "endpoint.backfill",
            f"endpoints/{endpoint_id}",
            project_id=scope.project_id,
            details={"run": run_id},
        )
    handle = await starting.backfill(client, found.endpoint, backfill_id, run_id)
    return await Following(database, scope, handle, watch, stopped, run_id=run_id).to_the_end()


class Following:
    """Looks at a run until it has ended, and tells the watch what it sees."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        handle: WorkflowHandle[Any, Any],
        watch: Callable[[SliceReport], None],
        stopped: asyncio.Event,
        *,
        run_id: str | None = None,
    ) -> None:
        self._database, self._scope, self._handle = database, scope, handle
        self._watch, self._stopped = watch, stopped
        # a lifecycle has a run after the other, a backfill is one
        self._question, self._run_id = "lifecycle" if run_id is None else "progress", run_id
        self._begun = asyncio.get_running_loop().time()

    async def to_the_end(self) -> Run:
        ending = asyncio.create_task(self._handle.result())
        asking = asyncio.create_task(self._stopped.wait())
        try:
            while not ending.done():
                await asyncio.wait({ending, asking}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                if asking.done():
                    await self._handle.cancel()
                    await asyncio.wait({ending}, timeout=15)
                    break
                if not ending.done():
                    await self._look()
            return await self._ended(ending)
        finally:
            for task in (ending, asking):
                task.cancel()
            await asyncio.gather(ending, asking, return_exceptions=True)

    async def _ended(self, ending: "asyncio.Task[Any]") -> Run:
        if not ending.done():  # it was asked to stop, and takes its time: that is no failure
            return await self._run()
        try:
            done = ending.result()
        except WorkflowFailureError as error:
            if self._stopped.is_set():
                return await self._run()
            raise Failure.read(error.cause).error() from error
        except RPCError as error:
            raise RetryableTransient(
                f"Temporal does not answer any more: {' '.join(error.message.split())[:200]}",
                code=Code.TEMPORAL_UNREACHABLE,
                hint="the run goes on when it is back, and `windrow runs` shows it",
            ) from error
        self._run_id = self._run_id or done["run_id"]
        with suppress(WindrowError):  # whoever started it in a shell will look for what came
            await catalog.index_tenant(self._database, self._scope.tenant_id)
        return await self._run()

    async def _look(self) -> None:
        with suppress(RPCError):  # nobody answers a query while the workers are busy starting
            said = await self._handle.query(self._question, rpc_timeout=_QUERY)
            self._run_id = said.get("run_id") or self._run_id
            if said.get("state") == State.BACKOFF:
                raise RetryableTransient(
                    f"the run failed: {said['reason']}",
                    code=Code.UNAVAILABLE,
                    hint=f"it is tried again at {said['next_retry_at']}; `windrow schedule show` tells how it stands",
                )
        if self._run_id is None:
            self._check_attended()
            return
        with suppress(WindrowError):  # its row comes with its first step
            run = await self._run()
            totals = _counts(run)
            self._watch(SliceReport(outcome=Outcome.MORE, totals=totals, page_size=0, cursor="", trouble=run.message))

    def _check_attended(self) -> None:
        if asyncio.get_running_loop().time() - self._begun > _UNATTENDED:
            raise RetryableTransient(
                "no worker has taken the run up",
                code=Code.UNAVAILABLE,
                hint="start one with `windrow worker` or `windrow up`; or run it in this process with --here",
            )

    async def _run(self) -> Run:
        async with self._database.tenant(self._scope.tenant_id) as tx:
            return await runs.find_run(tx, self._run_id or "-")


def _counts(run: Run) -> Counts:
    return Counts(
        pages=run.pages,
        fetched=run.fetched,
        published=run.published,
        repeats=run.repeats,
        quarantined=run.quarantined,
        bytes=run.bytes,
    )
