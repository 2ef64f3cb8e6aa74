"""What can be done with jobs: ask for a clip, cancel a job, have one tried again."""

from collections.abc import Awaitable, Callable

from windrow.clips.clip import NAME
from windrow.console.pages.desk import Desk
from windrow.console.pages.jobs.found import found
from windrow.console.pages.reasons import reason_of
from windrow.console.pages.tickets import ticket_of
from windrow.console.session import Visit
from windrow.jobs import control
from windrow.jobs.enqueue import Terms, Unique, enqueue
from windrow.jobs.job import Status

ACTS = ("cancel", "retry")


class JobActs:
    """Each says where to go on: to the page again, which says what was done."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._ports = desk.database, desk.ports

    def does(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """One of those about a job that is there."""
        handler: Callable[[Visit], Awaitable[str]] = getattr(self, act)
        return handler

    async def submit(self, visit: Visit) -> str:
        form, scope = visit.form, visit.principal.scope
        wanted = self._ports.payload_of(NAME, {name: form.get(name, "") for name in ("source", "start", "end")})
        async with self._database.tenant(scope.tenant_id) as tx:
            key = f"page-{ticket_of(visit)}"
            terms = Terms(max_attempts=self._ports.max_attempts, unique=Unique.WHILE_KEPT)
            made = await enqueue(tx, scope, NAME, wanted, terms=terms, dedupe_key=key)
        return f"/jobs/{made.job_id}?did=submit"

    async def cancel(self, visit: Visit) -> str:
        principal, reason = visit.principal, reason_of(visit)
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            job = await found(tx, visit)
            status = await control.cancel(tx, job.job_id, actor=principal.actor, reason=reason)
        return f"/jobs/{job.job_id}?did={'cancel' if status is Status.CANCELLED else 'stopping'}"

    async def retry(self, visit: Visit) -> str:
        principal, reason = visit.principal, reason_of(visit)
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            job = await found(tx, visit)
            await control.retry(tx, job.job_id, actor=principal.actor, reason=reason)
        return f"/jobs/{job.job_id}?did=retry"
