"""`backfillWorkflow`: an endpoint read once more from its beginning, in a lane and with a cursor of its own (OR-14)."""

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import is_cancelled_exception

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.orders import Progress, RunOrder, RunResult
from windrow.contracts.retry import RUN_BACKOFF
from windrow.orchestration import names
from windrow.orchestration.failure import Failure
from windrow.orchestration.workflows.collection import Collection, tell_end
from windrow.orchestration.workflows.steps import ENDINGS, Stubborn, sleeps


@workflow.defn(name=names.BACKFILL)
class BackfillWorkflow:
    """Beside the live collection: what live has seen since is never overwritten (the protocol's observations)."""

    def __init__(self) -> None:
        self._progress = Progress()
        self._waiting: dict[str, Any] = {}

    @workflow.query
    def progress(self) -> dict[str, Any]:
        """How far it is, and what it waits for."""
        return {"pages": self._progress.pages, "published": self._progress.published, **self._waiting}

    @workflow.run
    async def run(self, order: RunOrder) -> RunResult:
        try:
            done = await self._until_done(order)
        except ENDINGS:
            await _close(order)
            raise
        await _close(order)
        if done.refused:
            raise Failure(ValidationFailure.__name__, Code.GONE, done.refused).raised()
        return done

    async def _until_done(self, order: RunOrder) -> RunResult:
        failures = 0
        while True:
            collection = Collection(order, self._noted, self._waits)
            try:
                return await collection.run()
            except ENDINGS as error:
                await tell_end(collection.order, error)
                if is_cancelled_exception(error):
                    raise
                failure = Failure.read(error)
                if failure.is_fatal:
                    raise failure.raised() from error
            failures += 1
            await self._waits(failure, RUN_BACKOFF.delay(failures) or RUN_BACKOFF.ceiling)

    def _noted(self, progress: Progress) -> None:
        self._progress = progress

    async def _waits(self, failure: Failure, delay: timedelta) -> None:
        due = (workflow.now() + delay).isoformat()
        self._waiting = {"error_class": failure.error_class, "reason": failure.message, "next_retry_at": due}
        await workflow.sleep(delay)
        self._waiting = {}


async def _close(order: RunOrder) -> None:
    """However it ended, nothing more comes through its lane: as long as one could, the live one keeps what was deleted."""
    steps = Stubborn(order.tenant_id, sleeps, ends=True)
    await steps.call(names.CLOSE_LANE, order, type(None), queue=names.META_TS)
