"""A slice: so many seconds of pages, in seven steps (HV-50).

    1  prepare    the connector looks whether it can read the source
    2  begin      take the lane over, read the cursor
    3  fetch      a page; its observation is drawn before the source is asked
    4  refine     into items that keep the contract; what does not is quarantined
    5  publish    the batch into the outbox …
    6  advance    … and the cursor behind it, in the same transaction
    7  finish     say what was done

While a page is being published, the next one is fetched.
"""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windrow import endpoints, kv
from windrow.connectors.connector import Connector
from windrow.contracts.errors import Code, RetryableTransient, WindrowError, classify
from windrow.contracts.identity import Identity
from windrow.contracts.retry import RetryPolicy
from windrow.endpoints import Endpoint
from windrow.harvest import report
from windrow.harvest import run as runs
from windrow.harvest.cursors import Cursors, Position
from windrow.harvest.guards import is_too_much
from windrow.harvest.pacing import CEILING, pace
from windrow.harvest.publish import Press, Published, Sheet
from windrow.harvest.reading import Reader
from windrow.harvest.run import Counts, Outcome
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane, Slice, Superseded
from windrow.postgres import Database
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import bound, span

# a lost connection to our own database is a hiccup of the page: the request id makes the second try harmless
_HICCUP = RetryPolicy(timedelta(milliseconds=200), timedelta(seconds=5), attempts=5, spread=0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceReport:
    """How a slice ended or how far it is: what the run has read, where the cursor is, with which page size to go on."""

    outcome: Outcome
    totals: Counts
    page_size: int
    cursor: str
    # why the last try failed, where another one is due
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be harvested, and within which bounds."""

    endpoint: Endpoint
    lane: Lane
    run_id: str
    budget: timedelta = timedelta(seconds=60)
    page_size: int | None = None
    batch_bytes: int = CEILING
    retry_attempt: int = 0
    cancelled: Callable[[], bool] = lambda: False
    watch: Callable[[SliceReport], None] = lambda _: None


async def harvest(database: Database, connector: Connector[Any], order: Order) -> SliceReport:
    """Run one slice to its end. Errors are those of the family; what was published until then stands."""
    scope, spec = order.endpoint.scope, connector.spec
    with (
        bound(
            agent="harvester",
            directive=spec.name,
            tenant_id=scope.tenant_id,
            project_id=scope.project_id,
            endpoint_id=order.endpoint.endpoint_id,
            spec_id=spec.spec_ref,
            run_id=order.run_id,
        ),
        span("harvest.slice", lane=str(order.lane), run_id=order.run_id),
    ):
        harvester = _Harvester(database, connector, order, await kv.Fingerprints.load(database, scope.tenant_id))
        try:
            return await harvester.run()
        except Superseded as over:
            report.superseded(over.piece)
            return harvester.report(Outcome.SUPERSEDED)
        except Exception as error:
            ours = classify(error)
            await harvester.leave_partial(ours)
            report.failed(ours, harvester.report(Outcome.FAILED))
            if ours is error:
                raise
            raise ours from error


class _Harvester:
    """The state of one slice: where it is, and what the run has read."""

    def __init__(
        self, database: Database, connector: Connector[Any], order: Order, fingerprints: kv.Fingerprints
    ) -> None:
        self._database, self._connector, self._order, self._fingerprints = database, connector, order, fingerprints
        self._cursors = Cursors(order.lane, connector.spec.name)
        self._identity = Identity(order.endpoint.scope, order.endpoint.endpoint_id)
        first_pace = pace(connector.spec.page_sizes, order.endpoint.page_size, order.page_size)
        self._reader = Reader(database, connector, order.lane, self._identity, first_pace)
        self._piece: Slice | None = None
        self._position = Position(None, 0)
        self._totals = Counts()
        self._begun = time.monotonic()

    async def run(self) -> SliceReport:
        await self._connector.prepare()
        self._piece = piece = await self._begin()
        report.started(piece, self.report(Outcome.MORE))
        press = Press(
            database=self._database,
            piece=piece,
            endpoint=self._order.endpoint,
            spec=self._connector.spec,
            cursors=self._cursors,
            identity=self._identity,
            batch_bytes=self._order.batch_bytes,
        )
        outcome = await self._harvest(press)
        await self._finish(piece, outcome)
        ended = self.report(outcome)
        report.ended(ended, time.monotonic() - self._begun)
        return ended

    def report(self, outcome: Outcome) -> SliceReport:
        return SliceReport(
            outcome=outcome,
            totals=self._totals,
            page_size=self._reader.pace.size,
            cursor=self._fingerprints.of(self._position.cursor),
        )

    async def leave_partial(self, error: WindrowError) -> None:
        """Say in the store how far this came, unless the lane is another's by now. Best effort: what failed may be the database."""
        if self._piece is None:
            return
        snapshot = report.snapshot(self._order.run_id, error, self.report(Outcome.FAILED))
        with suppress(WindrowError):
            async with self._database.tenant(self._order.lane.scope.tenant_id) as tx:
                if await lanes.end(tx, self._piece, floor=self._floor):
                    await self._cursors.leave_partial(tx, snapshot)
                    await runs.stumble(tx, self._order.run_id, error)

    async def _begin(self) -> Slice:
        order = self._order
        async with self._database.tenant(order.lane.scope.tenant_id) as tx:
            piece = await lanes.begin(tx, order.lane, order.run_id)
            self._position = await self._cursors.load(tx)
            if self._floor is not None:
                await lanes.hold(tx, piece, self._floor)
            await runs.begin_run(tx, order.lane, order.run_id)
            self._totals = await runs.counts_of(tx, order.run_id)
        return piece

    async def _harvest(self, press: Press) -> Outcome:
        """Fetch and refine one page while the one before it is being published."""
        under_way: asyncio.Task[None] | None = None
        last = False
        async with aclosing(self._reader.sheets(self._position)) as sheets:
            try:
                async for sheet in sheets:
                    if under_way:
                        await _to_its_end(under_way)
                        under_way = None
                    await self._stop_on_refusals(press, sheet)
                    if _is_news(sheet):
                        under_way = asyncio.create_task(self._publish(press, sheet))
                    last = sheet.page.last
                    if last or self._must_stop():
                        break
            finally:
                if under_way:
                    await _to_its_end(under_way)
        if last:
            return Outcome.DONE
        return Outcome.CANCELLED if self._order.cancelled() or is_cancelled() else Outcome.MORE

    async def _finish(self, piece: Slice, outcome: Outcome) -> None:
        scope = self._order.endpoint.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            if not await lanes.end(tx, piece, floor=self._floor):
                raise Superseded(piece)
            await endpoints.checked(tx, scope, self._order.endpoint.endpoint_id)
        if outcome is Outcome.DONE:
            await self._cursors.clear_partial(self._database)

    @property
    def _floor(self) -> int | None:
        """What this lane will still bring that is older than now: the rest of a snapshot."""
        return self._position.pinned.observation if self._position.pinned else None

    def _must_stop(self) -> bool:
        over = time.monotonic() - self._begun >= self._order.budget.total_seconds()
        return over or self._order.cancelled() or is_cancelled()

    async def _stop_on_refusals(self, press: Press, sheet: Sheet) -> None:
        """D15: the refused records are kept for people to look at, the page is not published, the cursor stays."""
        with_it = self._totals + sheet.counts
        if broken := is_too_much(with_it.fetched, with_it.quarantined):
            await press.refuse(sheet)
            report.quarantined(self._connector.spec.name, sheet)
            raise broken

    async def _publish(self, press: Press, sheet: Sheet) -> None:
        """Steps 5 and 6."""
        published = await self._press(press, sheet)
        self._position, self._totals = published.position, published.totals
        report.published(
            self._connector.spec.name, sheet, published, self.report(Outcome.MORE), self._order.retry_attempt
        )
        self._order.watch(self.report(Outcome.MORE))

    async def _press(self, press: Press, sheet: Sheet) -> Published:
        failures = 0
        while True:
            try:
                return await press.publish(self._position, sheet)
            except RetryableTransient as error:
                failures += 1
                delay = _HICCUP.delay(failures, random.random())  # noqa: S311 - jitter is no secret
                if delay is None or error.code is not Code.DATABASE_UNREACHABLE:
                    raise
                report.retried(error, failures, delay)
                await asyncio.sleep(delay.total_seconds())


async def _to_its_end(publishing: asyncio.Task[None]) -> None:
    """A page that is being published is let come to its end, whatever else goes wrong, and its error is heard."""
    try:
        await asyncio.wait([publishing])
    except asyncio.CancelledError:
        await asyncio.wait([publishing])
        raise
    publishing.result()


def _is_news(sheet: Sheet) -> bool:
    """A page without anything, behind which the cursor is where it was, leaves the cursor untouched (OR-25)."""
    refined, page = sheet.refined, sheet.page
    something = refined.rows or refined.refused or page.opens or page.whole
    return bool(something) or page.cursor != sheet.before
