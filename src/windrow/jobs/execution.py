"""One execution of a job: the handler under its limits, and the fenced words that it may say.

The lease is a deadline here too, counted from before the heartbeat was sent, so that it is never later than the
database's. When it passes, or when the job is another's, or cancelled, the handler is cancelled where it waits.
"""

import asyncio
import math
import random
import time
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from psycopg.types.json import Jsonb
from pydantic import ValidationError

from windrow.contracts.errors import Code, Conflict, RetryableTransient, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Scope
from windrow.jobs.failure import End, Outcome, failed
from windrow.jobs.intake import Claim
from windrow.jobs.kinds import Kind
from windrow.jobs.progress import Throttle
from windrow.jobs.running import Artifact, Cancelled, HandedBack, LeaseLost, Stopped
from windrow.jobs.scratch import Scratch
from windrow.postgres import Database, Query, load
from windrow.telemetry import bound, span

Q = load(__package__)

_AGAIN = RetryPolicy(timedelta(seconds=0.1), timedelta(seconds=5), attempts=None, spread=0.5)
_DONE = Outcome(End.DONE)
_STOPS: dict[End, type[Stopped]] = {End.LOST: LeaseLost, End.ABORTED: LeaseLost, End.CANCELLED: Cancelled}


# the same few, checked again and again
_scope = lru_cache(maxsize=1024)(Scope)


class Execution:
    """The `Running` that a handler is given. `safe_until` is when the lease may have ended, by the loop's clock."""

    def __init__(
        self,
        claim: Claim,
        kind: Kind[Any],
        database: Database,
        scratch: Path,
        *,
        safe_until: float,
        keep_scratch: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.claim, self._kind, self._database, self._clock = claim, kind, database, clock
        self.job_id, self.attempt, self.epoch = claim.job_id, claim.attempt, claim.epoch
        self.scope = _scope(claim.tenant_id, claim.project_id)
        self.leaving = False
        self.reason = ""
        self._scratch, self._keep_scratch = Scratch(scratch, claim), keep_scratch
        self._throttle = Throttle()
        self._stop: End | None = None
        self._safe_until, self._timeout_at = safe_until, math.inf
        self._is_watched = False
        self._limit: asyncio.Timeout | None = None

    @property
    def earlier(self) -> Artifact | None:
        return Artifact(**self.claim.artifact) if self.claim.artifact else None

    @property
    def scratch(self) -> Path:
        return self._scratch.path()

    async def run(self) -> Outcome:
        """The handler, to its end of whatever sort."""
        claim = self.claim
        with (
            bound(
                tenant_id=claim.tenant_id,
                project_id=claim.project_id,
                directive=claim.kind,
                correlation_id=claim.correlation_id or claim.job_id,
            ),
            span("job.run", job_id=claim.job_id, kind=claim.kind, attempt=claim.attempt, epoch=claim.epoch) as traced,
        ):
            outcome = await self._attempt()
            traced.set_attribute("outcome", str(outcome.end))
            if self._scratch.is_made:
                await asyncio.to_thread(self._tidy, outcome.end)
            return outcome

    async def source_ready(self, **details: Any) -> None:
        await self._say(Q.source_ready, details=Jsonb(details) if details else None)

    async def progress(self, percent: float) -> None:
        self._heed()
        worth_telling = self._throttle.admits(percent, self._clock())
        if worth_telling is None:
            return
        try:
            await self._try_to_say(Q.progress, percent=worth_telling)
        except (RetryableTransient, Conflict):
            return  # the database is away for a moment: no reason to fail, and the next one will tell more

    async def upload(self, artifact: Artifact) -> None:
        named = {
            "key": artifact.key,
            "size": artifact.size,
            "sha256": artifact.sha256,
            "details": artifact.details,
        }
        await self._say(Q.name_artifact, artifact=Jsonb(named))

    def checkpoint(self) -> None:
        self._heed()
        if self.leaving:
            raise HandedBack(f"job {self.job_id} is handed back")

    def stop(self, end: End, reason: str) -> None:
        """End the handler where it waits; nothing that it does from here on counts."""
        if self._stop is None:
            self._stop, self.reason = end, reason
            self._move_limit()

    def watch(self) -> None:
        """From here on the lease is a deadline. Not before the first heartbeat: most jobs have ended by then."""
        self._is_watched = True
        self._move_limit()

    def renew(self, safe_until: float) -> None:
        """The heartbeat was answered."""
        self._safe_until = safe_until
        self._move_limit()

    async def _attempt(self) -> Outcome:
        loop = asyncio.get_running_loop()
        if self._kind.timeout:
            self._timeout_at = loop.time() + self._kind.timeout.total_seconds()
        limit = asyncio.timeout_at(self._deadline())
        raised: Exception | None = None
        try:
            payload = self._kind.payload.model_validate_json(self.claim.payload)
            async with limit:
                self._limit = limit
                await self._kind.run(self, payload)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task and task.cancelling():
                raise  # the worker itself is being ended
            raised = RetryableTransient(f"the handler gave up by itself: {error}", code=Code.UNKNOWN)
        except ValidationError as error:
            raised = ValidationFailure(f"the payload is no {self.claim.kind}: {error}", code=Code.INVALID_VALUE)
        except Exception as error:  # whatever a handler raises
            raised = error
        finally:
            self._limit = None
        return self._judge(raised, timed_out=limit.expired())

    def _judge(self, raised: Exception | None, *, timed_out: bool) -> Outcome:
        if self._stop is not None:
            return Outcome(self._stop)
        if timed_out and self._timeout_at < self._safe_until:
            assert self._kind.timeout, "without one it would never be earlier"
            limit = self._kind.timeout.total_seconds()
            return failed(RetryableTransient(f"took longer than {limit:g} s", code=Code.TIMEOUT))
        if timed_out:
            self.reason = "unreachable"
            return Outcome(End.LOST)
        match raised:
            case None:
                return _DONE
            case HandedBack():
                return Outcome(End.HANDED_BACK)
            case Cancelled():
                return Outcome(End.CANCELLED)
            case LeaseLost():
                self.reason = "superseded"
                return Outcome(End.LOST)
            case _:
                return failed(raised)

    def _tidy(self, end: End) -> None:
        if end is End.FAILED:
            self._scratch.keep()
        elif not (end is End.DONE and self._keep_scratch):
            self._scratch.discard()

    async def _say(self, query: Query, **said: Any) -> None:
        """As often as it takes: the limit ends this, if nothing else does."""
        failures = 0
        while True:
            try:
                return await self._try_to_say(query, **said)
            except (RetryableTransient, Conflict):
                failures += 1
                delay = _AGAIN.delay(failures, random.random()) or timedelta(0)  # noqa: S311 - jitter is no secret
                await asyncio.sleep(delay.total_seconds())

    async def _try_to_say(self, query: Query, **said: Any) -> None:
        self._heed()
        async with self._database.tenant(self.scope.tenant_id) as tx:
            # stopped in the middle of this, we must not keep the row from whoever recovers the job
            await tx.execute(Q.careful)
            row = await tx.row(query, id=self.job_id, epoch=self.epoch, **said)
        if row is None:
            self.stop(End.LOST, "superseded")
        elif row["cancelled"]:
            self.stop(End.CANCELLED, "asked for")
        self._heed()

    def _heed(self) -> None:
        if self._stop is not None:
            raise _STOPS[self._stop](f"job {self.job_id} (epoch {self.epoch}) is stopped: {self.reason}")
        if self._limit is not None and self._limit.expired():
            raise asyncio.CancelledError  # once more: the driver may have lost the first

    def _deadline(self) -> float | None:
        if self._stop is not None:
            return 0.0
        soonest = min(self._safe_until, self._timeout_at) if self._is_watched else self._timeout_at
        return None if soonest == math.inf else soonest

    def _move_limit(self) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(self._deadline())
