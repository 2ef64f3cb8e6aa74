"""`/api/v1/endpoints/{name}/schedule`: when an endpoint is harvested, in the hands of its operators (OR-20 … OR-23)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from windrow.console.api.access import Reader, Writer
from windrow.console.api.behind import Behind, Here
from windrow.console.api.once import Once, Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.runs import Step
from windrow.console.api.wording import Name, NamedEndpoint, Reason, Word
from windrow.contracts.scope import Scope
from windrow.orchestration import controls, scheduling, starting
from windrow.orchestration.scheduling import Scheduled
from windrow.postgres import Transaction

router = resource("schedules")

STEPS = 20


class ScheduleView(BaseModel):
    """When it runs by itself, and what holds it back if something does."""

    endpoint: str
    schedule: str | None
    time_zone: str
    jitter_seconds: int
    held_back: str | None

    @classmethod
    def of(cls, found: Scheduled) -> "ScheduleView":
        known = found.controls
        return cls(
            endpoint=found.endpoint.endpoint_id,
            schedule=found.endpoint.schedule,
            time_zone=known.time_zone,
            jitter_seconds=known.jitter_seconds,
            held_back=known.held_back,
        )


class RunStep(Step):
    """A step, and of which run it is."""

    run_id: str | None


class ScheduleHistory(ScheduleView):
    """A schedule, and how its endpoint came to where it stands; the latest first."""

    steps: list[RunStep]


class Said(BaseModel):
    """What an operator says."""

    model_config = ConfigDict(extra="forbid")


class Pause(Said):
    """Why it is paused."""

    reason: Reason


class Resume(Said):
    """Why it goes on."""

    reason: Reason | None = None


class Reschedule(Said):
    """The new schedule; null takes it away. Zone and spread stay as they are where they are not said."""

    schedule: Word | None
    time_zone: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[ -~]+$")] | None = None
    jitter_seconds: int | None = Field(None, ge=0, le=3600)
    reason: Reason | None = None


class Trigger(Said):
    """One run now; the same id twice is one run."""

    manual_trigger_id: Name
    reason: Reason | None = None


class Decision(BaseModel):
    """What is kept under the key of a request."""

    what: str | None
    view: ScheduleView


class Triggered(BaseModel):
    """The workflow that runs; `again` if the id was used before. `held_back` is why nothing else begins by itself."""

    workflow_id: str
    again: bool
    held_back: str | None


@router.get("/endpoints/{name}/schedule")
async def shown(caller: Reader, here: Here, name: NamedEndpoint) -> ScheduleHistory:
    """When it runs, what holds it back, and how it came to where it stands."""
    found = await scheduling.look(here.database, caller.scope, name)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        steps = await controls.steps(tx, caller.scope, name, limit=STEPS)
    told = [RunStep(**{field: getattr(step, field) for field in RunStep.model_fields}) for step in steps]
    return ScheduleHistory(**ScheduleView.of(found).model_dump(), steps=told)


@router.post("/endpoints/{name}/schedule/pause")
async def paused(caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, said: Pause) -> ScheduleView:
    """Nothing begins by itself any more; a run that is under way ends."""

    async def decide(tx: Transaction) -> Scheduled:
        return await scheduling.pause(tx, caller.scope, name, caller.actor, said.reason)

    return await _decided(here, caller.scope, once, name, decide)


@router.post("/endpoints/{name}/schedule/resume")
async def resumed(caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, said: Resume) -> ScheduleView:
    """By its schedule again, whether an operator had paused it or a failure had halted it."""

    async def decide(tx: Transaction) -> Scheduled:
        return await scheduling.resume(tx, caller.scope, name, caller.actor, said.reason)

    return await _decided(here, caller.scope, once, name, decide)


@router.post("/endpoints/{name}/schedule/reschedule")
async def rescheduled(
    caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, said: Reschedule
) -> ScheduleView:
    """Another time for future runs; one that is under way ends as it would have."""

    async def decide(tx: Transaction) -> Scheduled:
        return await scheduling.reschedule(
            tx,
            caller.scope,
            name,
            caller.actor,
            schedule=said.schedule,
            time_zone=said.time_zone,
            jitter=timedelta(seconds=said.jitter_seconds) if said.jitter_seconds is not None else None,
            reason=said.reason,
        )

    return await _decided(here, caller.scope, once, name, decide)


@router.post("/endpoints/{name}/schedule/trigger", status_code=202, responses={200: {"model": Triggered}})
async def triggered(caller: Writer, here: Here, name: NamedEndpoint, said: Trigger, response: Response) -> Triggered:
    """One run now, beside the schedule, also while that is paused. Its id makes it repeatable."""
    found = await scheduling.look(here.database, caller.scope, name)
    begun = await starting.trigger(
        await here.ports.temporal(),
        here.database,
        found.endpoint,
        said.manual_trigger_id,
        caller.actor,
        reason=said.reason,
    )
    if begun.again:
        response.status_code = 200
    return Triggered(workflow_id=begun.workflow_id, again=begun.again, held_back=found.controls.held_back)


async def _decided(
    here: Behind, scope: Scope, once: Once, name: str, decide: Callable[[Transaction], Awaitable[Scheduled]]
) -> ScheduleView:
    """Decided once, together with its key. Temporal is then made to agree with what holds now, each time that it is asked for:
    whoever was told that it could not be reached asks again under the same key."""
    async with here.database.tenant(scope.tenant_id) as tx:

        async def act() -> Decision:
            done = await decide(tx)
            return Decision(what=done.decided, view=ScheduleView.of(done))

        decision = await once.within(tx, Decision, act)
    found = await scheduling.look(here.database, scope, name)
    await scheduling.carry_out(await here.ports.temporal(), replace(found, decided=decision.what))
    return decision.view
