"""A whole run, here and now: slices until the source has nothing more, then the catalog, then the proof.

Orchestration does the same on Temporal, slice by slice; this is the run of one process, for a shell.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from windrow.catalog import index_tenant
from windrow.connectors.connector import Connector
from windrow.contracts.errors import Code, Conflict, Fatal, WindrowError
from windrow.contracts.retry import next_delay
from windrow.harvest import report
from windrow.harvest import run as runs
from windrow.harvest.run import Outcome, Run, Verified
from windrow.harvest.settling import until_settled
from windrow.harvest.slice import Order, SliceReport, harvest
from windrow.harvest.subscriber import Subscriber
from windrow.notify import FailedRun, failures
from windrow.postgres import Database
from windrow.telemetry import bound, emit

Opened = Callable[[], AbstractAsyncContextManager[Connector[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """What a run works with."""

    database: Database
    subscriber: Subscriber
    connector: Opened
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    # after how long a failure is tried again here, by its class; None: it is the run's
    delay: Callable[[WindrowError, int, float], timedelta | None] = next_delay

    async def run(self, order: Order) -> Run:
        """Harvest, persist and verify; the run as it ended. A failure is recorded with the run, and raised."""
        scope = order.lane.scope
        with bound(
            tenant_id=scope.tenant_id,
            project_id=scope.project_id,
            endpoint_id=order.lane.endpoint_id,
            run_id=order.run_id,
        ):
            return await self._to_its_end(order)

    async def _to_its_end(self, order: Order) -> Run:
        async with self.database.tenant(order.lane.scope.tenant_id) as tx:
            # before anything can fail: a run whose source cannot even be opened is to be seen too
            await runs.begin_run(tx, order.lane, order.run_id)
        try:
            ended = await self._slices(order)
            verified = await self._settled(order)
            check_accounts(await self._run(order), verified)
        except (WindrowError, asyncio.CancelledError) as error:
            with suppress(WindrowError):  # what failed may be the database itself, and its error is the one to tell
                await self._end(order, _outcome(error), error=error if isinstance(error, WindrowError) else None)
            raise
        await self._end(order, ended.outcome, settled=runs.as_document(verified))
        with suppress(WindrowError):  # the run has ended well, and others will index what came
            # whoever started it in a shell will look for what came: it is not told to come back later
            await index_tenant(self.database, order.lane.scope.tenant_id)
        return await self._run(order)

    async def _slices(self, order: Order) -> SliceReport:
        failures: dict[str, int] = {}
        while True:
            try:
                async with self.connector() as connector:
                    ended = await harvest(self.database, connector, order)
            except WindrowError as error:
                order = replace(order, retry_attempt=await self._later(error, failures))
                continue
            if ended.outcome is Outcome.SUPERSEDED:
                raise Conflict(
                    f"another run has taken {order.lane} over",
                    code=Code.ALREADY_RUNNING,
                    hint="`windrow runs` shows it; nothing is lost",
                )
            if ended.outcome is not Outcome.MORE:
                return ended
            order = replace(order, page_size=ended.page_size, retry_attempt=0)

    async def _settled(self, order: Order) -> Verified:
        failures: dict[str, int] = {}
        while True:
            try:
                return await until_settled(self.database, self.subscriber, order.lane, order.run_id, wait=self.wait)
            except WindrowError as error:
                await self._later(error, failures)

    async def _later(self, error: WindrowError, failures: dict[str, int]) -> int:
        """Wait as the error's class asks for; the error itself once its budget is spent. How often it has failed."""
        failures[error.error_class] = failed = failures.get(error.error_class, 0) + 1
        delay = self.delay(error, failed, random.random())  # noqa: S311 - jitter is no secret
        if delay is None:
            raise error
        report.retried(error, failed, delay)
        await self.wait(delay.total_seconds())
        return failed

    async def _run(self, order: Order) -> Run:
        async with self.database.tenant(order.lane.scope.tenant_id) as tx:
            return await runs.find_run(tx, order.run_id)

    async def _end(
        self,
        order: Order,
        outcome: Outcome,
        *,
        error: WindrowError | None = None,
        settled: dict[str, int] | None = None,
    ) -> None:
        async with self.database.tenant(order.lane.scope.tenant_id) as tx:
            await runs.end_run(tx, order.run_id, outcome, error=error, settled=settled)
            if error is not None and outcome is Outcome.FAILED:
                where = {"project_id": order.lane.scope.project_id, "endpoint_id": order.lane.endpoint_id}
                well_at = await runs.last_well(tx, order.lane)
                await failures.note(tx, FailedRun.of(error, run_id=order.run_id, well_at=well_at, **where))


def check_accounts(done: Run, verified: Verified) -> None:
    """Every record that was fetched is accounted for, or something is wrong with us."""
    counted = done.published + done.repeats + done.quarantined
    if done.fetched != counted or not verified.accounts_for(done.published):
        raise Fatal(
            f"run {done.run_id} does not add up: fetched {done.fetched}, counted {counted}, settled {verified}",
            code=Code.CORRUPTED,
            hint="keep the outbox as it is, and report this",
        )
    settled = runs.as_document(verified)
    emit(
        "harvest.verified",
        run_id=done.run_id,
        **{name: settled[name] for name in ("created", "updated", "deleted", "unchanged", "outdated", "discarded")},
    )


def _outcome(error: BaseException) -> Outcome:
    if isinstance(error, asyncio.CancelledError):
        return Outcome.CANCELLED
    return Outcome.SUPERSEDED if isinstance(error, Conflict) and error.code is Code.ALREADY_RUNNING else Outcome.FAILED
