"""`/api/v1/jobs`: what is to be done, how far it is, and what became of it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.once import Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Moment, Name, Reason, Word
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.jobs import control, reading
from windrow.jobs.enqueue import MOST_ATTEMPTS, PRIORITIES, Terms, enqueue
from windrow.jobs.job import Job, JobEvent, Status
from windrow.postgres import Transaction
from windrow.telemetry.redaction import PROCESS

router = resource("jobs")


class JobView(BaseModel):
    """A job. `progress` is the last percent that was told (RR-8), `artifact` what it has made."""

    job_id: UUID
    kind: str
    payload: Any
    status: Status
    priority: int
    run_at: datetime | None
    dedupe_key: str | None
    attempt_count: int
    max_attempts: int
    worker: str | None
    last_heartbeat_at: datetime | None
    progress: float | None
    artifact: dict[str, Any] | None
    cancel_requested_at: datetime | None
    failure_code: str | None
    error_class: str | None
    error_code: str | None
    error: str | None
    correlation_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, job: Job) -> "JobView":
        """An address in its payload may have been given with a password."""
        shown = {name: getattr(job, name) for name in cls.model_fields}
        return cls(**(shown | {"payload": PROCESS.value(job.payload)}))


class NewJob(BaseModel):
    """What is to be done, and on which terms."""

    model_config = ConfigDict(extra="forbid")

    kind: Name
    payload: dict[str, Any]
    priority: int = Field(0, ge=PRIORITIES[0], le=PRIORITIES[-1], description="Higher is sooner.")
    run_at: Moment | None = Field(None, description="Not before this time.")
    dedupe_key: Annotated[Word, Field(max_length=200)] | None = Field(
        None, description="Not added if an unfinished job of the kind has the same key."
    )
    max_attempts: int | None = Field(None, ge=1, le=MOST_ATTEMPTS)


class Submitted(BaseModel):
    """The job; not `fresh` if one with the same dedupe key was there already."""

    job_id: UUID
    fresh: bool


class Control(BaseModel):
    """Why, for the audit trail."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason | None = None


class JobStatus(BaseModel):
    """Where the job stands now."""

    job_id: UUID
    status: Status


class Events(BaseModel):
    """What befell a job, in order."""

    items: list[JobEvent]


@router.get("/jobs")
async def listed(
    caller: Reader, here: Here, asked: Paged, status: Status | None = None, kind: Annotated[Name | None, Query()] = None
) -> Page[JobView]:
    """The newest jobs first."""
    turn = asked.about("jobs", str, status=status, kind=kind)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await reading.listed(
            tx, project=caller.scope.project_id, status=status, kind=kind, before=turn.after, limit=turn.ask_for
        )
    return turn.page([JobView.of(each) for each in found], lambda each: str(each.job_id))


@router.post("/jobs", status_code=201)
async def submitted(caller: Writer, here: Here, once: Repeatable, said: NewJob, response: Response) -> Submitted:
    """Ask for something to be done."""
    wish = _wish(here.ports.payload_of, said)
    terms = Terms(priority=said.priority, run_at=said.run_at, max_attempts=said.max_attempts or here.ports.max_attempts)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Submitted:
            made = await enqueue(tx, caller.scope, said.kind, wish, terms=terms, dedupe_key=said.dedupe_key)
            return Submitted(job_id=UUID(made.job_id), fresh=made.fresh)

        done = await once.within(tx, Submitted, act)
    response.headers["location"] = f"{router.prefix}/jobs/{done.job_id}"
    return done


@router.get("/jobs/{job_id}")
async def shown(caller: Reader, here: Here, job_id: UUID) -> JobView:
    """One job."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return JobView.of(await _find(tx, caller.scope, job_id))


@router.get("/jobs/{job_id}/events")
async def events(
    caller: Reader,
    here: Here,
    job_id: UUID,
    after: Annotated[int, Query(ge=0, lt=2**63, description="The id of the last event that was seen.")] = 0,
) -> Events:
    """What befell a job, in order."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await _find(tx, caller.scope, job_id)
        return Events(items=await reading.events(tx, str(job_id), after=after))


@router.post("/jobs/{job_id}/cancel")
async def cancelled(caller: Writer, here: Here, once: Repeatable, job_id: UUID, said: Control) -> JobStatus:
    """End a job: one that waits at once, one that runs as soon as its worker has stopped it."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> JobStatus:
            await _find(tx, caller.scope, job_id)
            status = await control.cancel(tx, str(job_id), actor=caller.actor, reason=said.reason)
            return JobStatus(job_id=job_id, status=status)

        return await once.within(tx, JobStatus, act)


@router.post("/jobs/{job_id}/retry")
async def retried(caller: Writer, here: Here, once: Repeatable, job_id: UUID, said: Control) -> JobStatus:
    """Try a job again that has failed or was cancelled."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> JobStatus:
            await _find(tx, caller.scope, job_id)
            await control.retry(tx, str(job_id), actor=caller.actor, reason=said.reason)
            return JobStatus(job_id=job_id, status=Status.QUEUED)

        return await once.within(tx, JobStatus, act)


def _wish(payload_of: Any, said: NewJob) -> BaseModel:
    try:
        wish: BaseModel = payload_of(said.kind, said.payload)
    except ValidationFailure as error:
        # what is not found is a word of the body, not the address
        raise ValidationFailure(error.message, code=Code.INVALID_VALUE, hint=error.hint) from None
    return wish


async def _find(tx: Transaction, scope: Scope, job_id: UUID) -> Job:
    found = await reading.find(tx, str(job_id))
    if found is None or found.project_id != scope.project_id:
        raise reading.not_found(str(job_id))
    return found
