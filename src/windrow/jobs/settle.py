"""How executions end: in the row, under their fence, many at a time; and then in the log."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from windrow.contracts.retry import RetryPolicy
from windrow.jobs.execution import Execution
from windrow.jobs.failure import End, Outcome, delay_after
from windrow.jobs.job import Status
from windrow.postgres import Query, Transaction, load, uuid_array
from windrow.telemetry import emit
from windrow.telemetry.catalogue import jobs as told
from windrow.telemetry.catalogue import process

Q = load(__package__)

# the row is another's, or is left to its lease
NOTHING_TO_WRITE = frozenset({End.LOST, End.ABORTED})


@dataclass(frozen=True, slots=True)
class Ended:
    """An execution that has ended. `again`: it may have been settled already, since the answer was lost."""

    execution: Execution
    outcome: Outcome
    seconds: float
    again: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.execution.job_id, self.execution.epoch


def fence(execution: Execution) -> tuple[str, str, int]:
    """What a statement about this must name."""
    return execution.claim.tenant_id, execution.job_id, execution.epoch


def fences(executions: Iterable[Execution]) -> dict[str, str]:
    """What a statement about these must name, as columns; in one order, so that no two such statements can deadlock.

    Written as the literals of arrays, which takes a tenth of the time that the driver takes for lists.
    """
    ordered = sorted(map(fence, executions))
    return {
        # quoted: a tenant may be called null; there is nothing in a name that a quote would not hold
        "tenants": "{" + ",".join([f'"{tenant}"' for tenant, _, _ in ordered]) + "}",
        "ids": uuid_array(job_id for _, job_id, _ in ordered),
        "epochs": "{" + ",".join([str(epoch) for _, _, epoch in ordered]) + "}",
    }


@dataclass(frozen=True, slots=True)
class Settler:
    """Settles for one worker."""

    worker: str
    backoff: RetryPolicy
    jitter: Callable[[], float]

    async def settle(self, tx: Transaction, ended: Sequence[Ended]) -> None:
        """As the system: write every end; what is said of it is said after the commit."""
        by_end: dict[End, list[Ended]] = {}
        for one in ended:
            by_end.setdefault(one.outcome.end, []).append(one)
        if done := by_end.get(End.DONE):
            await self._done(tx, done)
        if failed := by_end.get(End.FAILED):
            await self._failed(tx, failed)
        if back := by_end.get(End.HANDED_BACK):
            await self._given_up(tx, Q.hand_back, back, "job.handed_back")
        if cancelled := by_end.get(End.CANCELLED):
            await self._given_up(tx, Q.stop, cancelled, "job.cancelled")

    async def _done(self, tx: Transaction, ended: list[Ended]) -> None:
        lost = {_key(row) for row in await tx.rows(Q.done, **fences(_of(ended)), worker=self.worker)}
        tx.after_commit(lambda: _say_done([one for one in ended if one.key not in lost]))
        for one in ended:
            if one.key in lost:
                tx.after_commit(partial(_say_lost, one))

    async def _failed(self, tx: Transaction, ended: list[Ended]) -> None:
        ended = sorted(ended, key=lambda one: fence(one.execution))
        delays = [self._delay(one) for one in ended]
        kept = [one.outcome.kept for one in ended]
        assert all(kept), "what failed has failed with something"
        rows = await tx.rows(
            Q.fail,
            **fences(_of(ended)),
            delays=delays,
            classes=[one.error_class for one in kept if one],
            codes=[one.code for one in kept if one],
            errors=[one.error for one in kept if one],
            tracebacks=[one.traceback for one in kept if one],
            worker=self.worker,
        )
        verdicts = {_key(row): row for row in rows}
        for one, delay in zip(ended, delays, strict=True):
            tx.after_commit(partial(_say_failed, one, verdicts.get(one.key), delay))

    async def _given_up(self, tx: Transaction, query: Query, ended: list[Ended], event: str) -> None:
        rows = await tx.rows(query, **fences(_of(ended)), worker=self.worker)
        settled = {_key(row) for row in rows}
        for one in ended:
            if one.key in settled:
                tx.after_commit(partial(_say, event, one))
            else:
                tx.after_commit(partial(_say_lost, one))

    def _delay(self, one: Ended) -> timedelta | None:
        assert one.outcome.error, "what failed has failed with something"
        return delay_after(one.outcome.error, one.execution.attempt, self.backoff, self.jitter())


def _key(row: dict[str, Any]) -> tuple[str, int]:
    return row["job_id"], row["epoch"]


def _of(ended: Iterable[Ended]) -> Iterable[Execution]:
    return (one.execution for one in ended)


def _about(one: Ended) -> dict[str, Any]:
    claim = one.execution.claim
    return {
        "tenant_id": claim.tenant_id,
        "project_id": claim.project_id,
        "correlation_id": claim.correlation_id,
        "job_id": claim.job_id,
        "kind": claim.kind,
        "attempt": claim.attempt,
        "epoch": claim.epoch,
    }


def _count(one: Ended, outcome: str) -> None:
    told.ENDED.add(1, kind=one.execution.claim.kind, outcome=outcome)
    told.SECONDS.record(one.seconds, kind=one.execution.claim.kind, outcome=outcome)


def _say_done(ended: Sequence[Ended]) -> None:
    for kind, count in Counter(one.execution.claim.kind for one in ended).items():
        told.ENDED.add(count, kind=kind, outcome="done")
    for one in ended:
        told.SECONDS.record(one.seconds, kind=one.execution.claim.kind, outcome="done")
        emit("job.done", **_about(one), seconds=round(one.seconds, 3))


def _say_failed(one: Ended, verdict: dict[str, Any] | None, delay: timedelta | None) -> None:
    if verdict is None:
        _say_lost(one)
    elif verdict["status"] == Status.CANCELLED:
        _say("job.cancelled", one)
    elif verdict["status"] == Status.FAILED:
        _count(one, "failed")
        emit("job.failed", **_about(one), **_why(one), failure_code=verdict["failure_code"])
    else:
        why = _why(one)
        _count(one, "retried")
        process.RETRIES.add(1, runtime="jobs", error_class=why["error_class"], code=why["code"])
        emit("job.retried", **_about(one), **why, retry_in_seconds=(delay or timedelta(0)).total_seconds())


def _why(one: Ended) -> dict[str, Any]:
    error = one.outcome.error
    assert error, "what failed has failed with something"
    return {"error_class": error.error_class, "code": error.code, "error": error}


def _say(event: str, one: Ended) -> None:
    _count(one, one.outcome.end)
    emit(event, **_about(one))


def say_gone(one: Ended) -> None:
    """Of an execution that has nothing to write any more."""
    if one.outcome.end is End.ABORTED:
        _say("job.aborted", one)
    else:
        _say_lost(one)


def _say_lost(one: Ended) -> None:
    if not one.again:
        _count(one, "lost")
        emit("job.lost", **_about(one), reason=one.execution.reason or "superseded")
