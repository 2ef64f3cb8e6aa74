"""`retentionWorkflow`: what has been kept long enough is removed, one kind after the other."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from windrow.orchestration import names
from windrow.orchestration.workflows.steps import HEARTBEAT, Stubborn, sleeps

KINDS = ("outbox", "kv", "messages", "idempotency", "transitions")


@workflow.defn(name=names.RETENTION)
class RetentionWorkflow:
    """By a schedule of its own. Bounded passes: what is left is for the next one."""

    @workflow.run
    async def run(self) -> dict[str, int]:
        gone: dict[str, int] = {}
        failed: ApplicationError | None = None
        for kind in KINDS:
            steps = Stubborn("retention", sleeps)
            try:
                gone[kind] = await steps.call(names.PURGE, kind, int, queue=names.META_TS, heartbeat=HEARTBEAT)
            except ApplicationError as error:  # one that cannot be removed keeps none of the others
                failed = failed or error
        if failed:
            raise failed
        return gone
