"""`/v1/endpoints/{name}/schedule`: when an endpoint is harvested, in the hands of its operators (OR-20 … OR-23)."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from temporalio.client import Client

from windrow.orchestration import controls, scheduling, starting
from windrow.orchestration.scheduling import Scheduled
from windrow.postgres import Database
from windrow.web.bodies import as_json, read_json
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.principal import Principal, Role

T = TypeVar("T")
Reason = Annotated[str, Meta(min_length=1, max_length=1000)]


class Pause(Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is paused."""

    reason: Reason


class Resume(Struct, frozen=True, forbid_unknown_fields=True):
    """Why it goes on."""

    reason: Reason | None = None


class Reschedule(Struct, frozen=True, forbid_unknown_fields=True):
    """The new schedule; null takes it away."""

    schedule: str | None
    time_zone: str | None = None
    jitter_seconds: Annotated[int, Meta(ge=0, le=3600)] | None = None
    reason: Reason | None = None


class Trigger(Struct, frozen=True, forbid_unknown_fields=True):
    """One run now; the same id twice is one run."""

    manual_trigger_id: Annotated[str, Meta(min_length=1, max_length=64)]
    reason: Reason | None = None


class ScheduleAddresses:
    """The handlers. `temporal` is asked for only when Temporal has to be told something."""

    def __init__(self, database: Database, temporal: Callable[[], Awaitable[Client]], limits: ServerLimits) -> None:
        self._database, self._temporal, self._limits = database, temporal, limits

    def routes(self, door: Doorkeeper) -> list[Route]:
        one = "/v1/endpoints/{name}/schedule"
        acts = {"pause": self.pause, "resume": self.resume, "reschedule": self.reschedule, "trigger": self.trigger}
        return [
            Route(one, door.admits(Role.READER, self.show), methods=["GET"]),
            *(
                Route(f"{one}/{act}", door.admits(Role.WRITER, handler), methods=["POST"])
                for act, handler in acts.items()
            ),
        ]

    async def show(self, request: Request, principal: Principal) -> Response:
        found = await scheduling.look(self._database, principal.scope, _name(request))
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            steps = await controls.steps(tx, principal.scope, _name(request), limit=20)
        return as_json(document(found) | {"steps": [msgspec.to_builtins(step) for step in steps]})

    async def pause(self, request: Request, principal: Principal) -> Response:
        said = await self._read(request, Pause)
        done = await scheduling.pause(self._database, principal.scope, _name(request), principal.actor, said.reason)
        return await self._carried_out(done)

    async def resume(self, request: Request, principal: Principal) -> Response:
        said = await self._read(request, Resume)
        done = await scheduling.resume(self._database, principal.scope, _name(request), principal.actor, said.reason)
        return await self._carried_out(done)

    async def reschedule(self, request: Request, principal: Principal) -> Response:
        said = await self._read(request, Reschedule)
        done = await scheduling.reschedule(
            self._database,
            principal.scope,
            _name(request),
            principal.actor,
            schedule=said.schedule,
            time_zone=said.time_zone,
            jitter=timedelta(seconds=said.jitter_seconds) if said.jitter_seconds is not None else None,
            reason=said.reason,
        )
        return await self._carried_out(done)

    async def trigger(self, request: Request, principal: Principal) -> Response:
        said = await self._read(request, Trigger)
        found = await scheduling.look(self._database, principal.scope, _name(request))
        begun = await starting.trigger(
            await self._temporal(),
            self._database,
            found.endpoint,
            said.manual_trigger_id,
            principal.actor,
            reason=said.reason,
        )
        told = {"workflow_id": begun.workflow_id, "again": begun.again, "held_back": found.controls.held_back}
        return as_json(told, 200 if begun.again else 202)

    async def _carried_out(self, done: Scheduled) -> Response:
        await scheduling.carry_out(await self._temporal(), done)
        return as_json(document(done))

    async def _read(self, request: Request, kind: type[T]) -> T:
        return await read_json(
            request,
            kind,
            most=self._limits.json_bytes,
            idle_seconds=self._limits.idle_seconds,
            seconds=self._limits.json_seconds,
        )


def document(found: Scheduled) -> dict[str, Any]:
    """A schedule as clients see it."""
    known = found.controls
    return {
        "endpoint": found.endpoint.endpoint_id,
        "schedule": found.endpoint.schedule,
        "time_zone": known.time_zone,
        "jitter_seconds": known.jitter_seconds,
        "held_back": known.held_back,
    }


def _name(request: Request) -> str:
    name: str = request.path_params["name"]
    return name
