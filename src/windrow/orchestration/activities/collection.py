"""The steps of a run: begin, slices, settle; and its bad ends."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio import activity

from windrow import endpoints, kv
from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.errors import Code, Conflict, Fatal, ValidationFailure
from windrow.contracts.orders import (
    Begun,
    FailureReport,
    Progress,
    Retry,
    RunOrder,
    RunResult,
    SliceResult,
)
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.advancing import advance, directive_key
from windrow.harvest.cursors import Cursors
from windrow.harvest.run import Outcome, Run
from windrow.harvest.settling import until_settled
from windrow.harvest.slice import Order, SliceReport, harvest
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import check_accounts
from windrow.notify import FailedRun, failures
from windrow.notify.quarantine import Refusals, watch
from windrow.orchestration import controls, names
from windrow.orchestration.activities.beating import Beating
from windrow.orchestration.activities.places import NoPlace, place, tenant_places
from windrow.orchestration.failure import Failure
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import orchestration as told
from windrow.telemetry.catalogue import process

_HEARTBEAT = timedelta(seconds=30)
# who was to be heard of three times, and was not, is gone
_BEATS_MISSED = 3

Open = Callable[[Endpoint, str, Callable[[], bool]], AbstractAsyncContextManager[Connector[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionActivities:
    """What the steps work with. `tenant_runs` are the slices that a tenant may have at work at once.

    `heartbeat_of` a connector is how often its directive has it tell of itself (MW-1, MW-3).
    """

    database: Database
    open: Open
    spec_of: Callable[[str], ConnectorSpec]
    subscriber: Subscriber
    tenant_runs: int = 4
    heartbeat_of: Callable[[str], timedelta] = lambda _: _HEARTBEAT

    @activity.defn(name=names.BEGIN)
    async def begin(self, order: RunOrder) -> Begun:
        """MW-10, MW-11: who, what, from where on."""
        scope = Scope(order.tenant_id, order.project_id)
        async with self.database.tenant(order.tenant_id) as tx:
            endpoint = await endpoints.find(tx, scope, order.endpoint_id)
            if endpoint is None or endpoint.removed_at is not None:
                return Begun(refused=f"there is no endpoint {order.endpoint_id}")
            known = await controls.find(tx, scope, order.endpoint_id)
            if known.halted_at and order.trigger == "schedule":
                return Begun(refused=f"{order.endpoint_id} waits for a person: {known.halted_why}")
            spec = self._spec(endpoint)
            lane = Lane(scope, order.endpoint_id, order.lane)
            await controls.supersede(tx, lane, order.run_id)
            await runs.begin_run(tx, lane, order.run_id)
            position = await Cursors(lane, spec.name).load(tx)
        fingerprints = await kv.Fingerprints.load(self.database, order.tenant_id)
        full = _filled(order, spec, self.heartbeat_of(spec.name))
        with _about(full):
            emit("context.acquired", lane=str(lane), trigger=order.trigger)
            emit("cursor.resolved", cursor=fingerprints.of(position.cursor), version=position.version)
        return Begun(order=full)

    def _spec(self, endpoint: Endpoint) -> ConnectorSpec:
        try:
            return self.spec_of(endpoint.connector)
        except ValidationFailure as error:
            # whoever names one that is missing has mistyped it; an endpoint that has one can only be helped by a person
            raise Fatal(error.message, code=Code.CONFIGURATION, hint=error.hint) from error

    @activity.defn(name=names.HARVEST_SLICE)
    async def harvest_slice(self, order: RunOrder) -> SliceResult:
        """MW-12, MW-13: some seconds of pages. A cancelled one saves where it is."""
        scope = Scope(order.tenant_id, order.project_id)
        async with self.database.tenant(order.tenant_id) as tx:
            endpoint = await endpoints.get(tx, scope, order.endpoint_id)
        beating = Beating()

        def seen(at: SliceReport) -> None:
            beating.progress = _progress(at)

        async def work() -> SliceReport:
            async with self.open(endpoint, order.run_id, beating.must_stop) as connector:
                return await harvest(
                    self.database,
                    connector,
                    Order(
                        endpoint=endpoint,
                        lane=Lane(scope, order.endpoint_id, order.lane),
                        run_id=order.run_id,
                        budget=timedelta(seconds=order.slice_seconds),
                        page_size=order.page_size,
                        retry_attempt=order.retry_attempt,
                        cancelled=beating.must_stop,
                        watch=seen,
                    ),
                )

        with _about(order):
            try:
                async with place(self.database, tenant_places(order.tenant_id), self.tenant_runs):
                    done = await beating.during(work)
            except NoPlace:
                return SliceResult(outcome="waiting")
            if done.outcome is Outcome.SUPERSEDED:
                raise Conflict(
                    f"another run has taken {order.endpoint_id}/{order.lane} over",
                    code=Code.ALREADY_RUNNING,
                    hint="`windrow runs` shows it; nothing is lost",
                )
        return SliceResult(outcome="done" if done.outcome is Outcome.DONE else "more", progress=_progress(done))

    @activity.defn(name=names.SETTLE)
    async def settle(self, order: RunOrder) -> RunResult:
        """MW-14 … MW-16: everything into the catalog, accounted for, the directive cursor moved, the run ended."""
        with _about(order):
            return await Beating().during(lambda: self._settle(order))

    async def _settle(self, order: RunOrder) -> RunResult:
        scope = Scope(order.tenant_id, order.project_id)
        lane = Lane(scope, order.endpoint_id, order.lane)
        verified = await until_settled(self.database, self.subscriber, lane, order.run_id)
        settled = runs.as_document(verified)
        emit("batches.persisted", **{name: settled[name] for name in _PERSISTED})
        fingerprints = await kv.Fingerprints.load(self.database, order.tenant_id)
        async with self.database.tenant(order.tenant_id) as tx:
            run = await runs.find_run(tx, order.run_id)
            check_accounts(run, verified)
            position = await Cursors(lane, order.connector).load(tx)
            pointer = fingerprints.of(position.cursor)
            moved = await advance(tx, lane, run, pointer, directive=order.connector, spec_ref=order.spec_ref)
            await runs.end_run(tx, order.run_id, Outcome.DONE, settled=settled)
            if run.quarantined:
                await watch(tx, _refusals(run))
        if moved.before != moved.after:
            emit("cursor.advanced", before=moved.before or "none", after=moved.after, processed=moved.processed)
        self._finalize(order, run, Outcome.DONE)
        return RunResult(run_id=order.run_id, outcome="done", progress=_totals(run, pointer), settled=settled)

    @activity.defn(name=names.FAIL)
    async def fail(self, report: FailureReport) -> None:
        """A run that did not end well: written down, told to whoever can mend it."""
        order = report.order
        scope = Scope(order.tenant_id, order.project_id)
        cancelled = report.outcome == "cancelled"
        failure = Failure(
            report.error_class or "RetryableTransient", report.code or Code.UNKNOWN, report.message, report.hint
        )
        error = None if cancelled else failure.error()
        lane = Lane(scope, order.endpoint_id, order.lane)
        async with self.database.tenant(order.tenant_id) as tx:
            await runs.begin_run(tx, lane, order.run_id)  # it may have failed before it had begun
            await runs.end_run(tx, order.run_id, Outcome.CANCELLED if cancelled else Outcome.FAILED, error=error)
            run = await runs.find_run(tx, order.run_id)
            position = await Cursors(lane, order.connector or "harvester").load(tx)
            if error is not None:
                if failure.is_fatal:
                    await controls.halt(tx, scope, order.endpoint_id, error.code, error.message)
                where = {"project_id": order.project_id, "endpoint_id": order.endpoint_id}
                well_at = await runs.last_well(tx, lane)
                await failures.note(tx, FailedRun.of(error, run_id=order.run_id, well_at=well_at, **where))
        with _about(order):
            if error is None:
                fingerprints = await kv.Fingerprints.load(self.database, order.tenant_id)
                emit("run.cancelled", outcome="cancelled", cursor=fingerprints.of(position.cursor))
            else:
                emit(
                    "run.aborted" if failure.is_fatal else "run.failed",
                    error_class=error.error_class,
                    code=error.code,
                    reason=error.message,
                    hint=error.hint,
                )
            self._finalize(order, run, Outcome.CANCELLED if cancelled else Outcome.FAILED)

    @activity.defn(name=names.NOTE_RETRY)
    async def note_retry(self, retry: Retry) -> None:
        """MW-24: each retry is told and counted."""
        with _about(retry.order):
            if retry.error_class == Conflict.__name__:
                emit("cursor.conflicted", reason=retry.message)
            emit(
                "attempt.retried",
                error_class=retry.error_class,
                code=retry.code,
                retry_attempt=retry.failures,
                retry_in_seconds=retry.seconds,
                error=Failure(retry.error_class, retry.code, retry.message).error(),
            )
            process.RETRIES.add(1, runtime="temporal", error_class=retry.error_class, code=retry.code)

    @activity.defn(name=names.CLOSE_LANE)
    async def close_lane(self, order: RunOrder) -> None:
        """A backfill is over: nothing more comes through its lane, and nobody goes on from where its cursors stood."""
        lane = Lane(Scope(order.tenant_id, order.project_id), order.endpoint_id, order.lane)
        directive = order.connector or names.BACKFILL
        cursors = Cursors(lane, directive)
        async with self.database.tenant(order.tenant_id) as tx:
            await lanes.close(tx, lane)
            await lanes.forget(tx, lane)
            for key, agent in (
                (cursors.key, "harvester"),
                (cursors.partial_key, "harvester"),
                (directive_key(lane), "meta-worker"),
            ):
                if seen := await kv.get(tx, key):
                    await kv.delete(
                        tx,
                        key,
                        expected_version=seen.version,
                        request_id=f"{order.run_id}/close",
                        writer=kv.Writer(agent, directive),
                    )

    def _finalize(self, order: RunOrder, run: Run, outcome: Outcome) -> None:
        seconds = (datetime.now(UTC) - run.begun_at).total_seconds()
        emit(
            "run.finalized",
            outcome=outcome,
            published=run.published,
            quarantined=run.quarantined,
            seconds=round(seconds, 3),
        )
        directive = order.connector or "unknown"
        told.RUNS.add(1, directive=directive, outcome=outcome)
        told.RUN_SECONDS.record(seconds, directive=directive)


_PERSISTED = ("created", "updated", "deleted", "unchanged", "outdated")


@contextmanager
def _about(order: RunOrder) -> Iterator[None]:
    with bound(
        agent="meta-worker",
        directive=names.COLLECTION,
        tenant_id=order.tenant_id,
        project_id=order.project_id,
        endpoint_id=order.endpoint_id,
        run_id=order.run_id,
        spec_id=order.spec_ref or None,
        correlation_id=order.correlation_id or None,
    ):
        yield


def _filled(order: RunOrder, spec: ConnectorSpec, heartbeat: timedelta) -> RunOrder:
    silence = int(heartbeat.total_seconds()) * _BEATS_MISSED
    return replace(order, connector=spec.name, spec_ref=spec.spec_ref, queue=spec.queue, heartbeat_seconds=silence)


def _progress(at: SliceReport) -> Progress:
    totals = at.totals
    return Progress(
        pages=totals.pages,
        fetched=totals.fetched,
        published=totals.published,
        repeats=totals.repeats,
        quarantined=totals.quarantined,
        bytes=totals.bytes,
        cursor=at.cursor,
        page_size=at.page_size,
    )


def _totals(run: Run, cursor: str) -> Progress:
    return Progress(
        pages=run.pages,
        fetched=run.fetched,
        published=run.published,
        repeats=run.repeats,
        quarantined=run.quarantined,
        bytes=run.bytes,
        cursor=cursor,
    )


def _refusals(run: Run) -> Refusals:
    return Refusals(
        project_id=run.project_id,
        endpoint_id=run.endpoint_id,
        run_id=run.run_id,
        fetched=run.fetched,
        refused=run.quarantined,
    )
