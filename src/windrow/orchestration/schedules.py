"""Schedules: Temporal keeps the time, Postgres knows what was meant. Whatever Temporal lost is rebuilt from there."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleListSchedule,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
)
from temporalio.common import (
    Priority,
    RetryPolicy,
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
)
from temporalio.service import RPCError, RPCStatusCode

from windrow.contracts.orders import SyncOrder
from windrow.endpoints import Endpoint
from windrow.endpoints import Schedule as Timing
from windrow.orchestration import names
from windrow.orchestration.controls import Controls

TENANT = SearchAttributeKey.for_keyword("WindrowTenant")
ENDPOINT = SearchAttributeKey.for_keyword("WindrowEndpoint")
DIRECTIVE = SearchAttributeKey.for_keyword("WindrowDirective")

_PREFIX = "sync/"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What had to be done so that Temporal agrees with Postgres."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def attributes(endpoint: Endpoint) -> TypedSearchAttributes:
    """By which Temporal finds what belongs to an endpoint."""
    return TypedSearchAttributes(
        [
            SearchAttributePair(TENANT, endpoint.scope.tenant_id),
            SearchAttributePair(ENDPOINT, f"{endpoint.scope.project_id}/{endpoint.endpoint_id}"),
            SearchAttributePair(DIRECTIVE, endpoint.connector),
        ]
    )


def schedule_id(endpoint: Endpoint) -> str:
    """Of an endpoint's schedule."""
    return names.sync_id(endpoint.scope.tenant_id, endpoint.scope.project_id, endpoint.endpoint_id)


def meant(endpoint: Endpoint, controls: Controls) -> Schedule:
    """The schedule as Postgres has it."""
    assert endpoint.schedule, "an endpoint without a schedule has none in Temporal either"
    timing = Timing.parse(endpoint.schedule)
    scope = endpoint.scope
    return Schedule(
        action=ScheduleActionStartWorkflow(
            names.ENDPOINT_SYNC,
            SyncOrder(tenant_id=scope.tenant_id, project_id=scope.project_id, endpoint_id=endpoint.endpoint_id),
            id=schedule_id(endpoint),
            task_queue=names.META_TS,
            retry_policy=RetryPolicy(maximum_attempts=1),
            typed_search_attributes=attributes(endpoint),
            priority=Priority(fairness_key=scope.tenant_id),
        ),
        spec=ScheduleSpec(
            # the comment is kept, the line itself only as what it means: by it the two can be compared
            cron_expressions=[f"{timing.cron} # {timing.cron}"] if timing.cron else [],
            intervals=[ScheduleIntervalSpec(every=timing.every)] if timing.every else [],
            jitter=timedelta(seconds=controls.jitter_seconds) if controls.jitter_seconds else None,
            time_zone_name=controls.time_zone,
        ),
        # while one runs or backs off, no other begins; what was missed while Temporal was down is made up for once
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=timedelta(minutes=10)),
        state=ScheduleState(paused=controls.held_back is not None, note=controls.held_back),
    )


async def put(client: Client, endpoint: Endpoint, controls: Controls) -> bool:
    """Make the schedule what is meant; True if it was not there. Future runs follow it, one under way goes on."""
    wanted = meant(endpoint, controls)
    try:
        await client.create_schedule(schedule_id(endpoint), wanted, search_attributes=attributes(endpoint))
    except ScheduleAlreadyRunningError:
        await client.get_schedule_handle(schedule_id(endpoint)).update(lambda _: ScheduleUpdate(schedule=wanted))
        return False
    return True


async def remove(client: Client, named: str) -> bool:
    """Take it away; False if it was not there."""
    try:
        await client.get_schedule_handle(named).delete()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    return True


async def compare(client: Client, wanted: Iterable[tuple[Endpoint, Controls]]) -> Rebuilt:
    """What would have to be done so that Temporal agrees with these, which are all there are."""
    due = _due(wanted)
    there = {entry.id: entry async for entry in await client.list_schedules()}
    return Rebuilt(
        created=tuple(name for name in due if name not in there),
        updated=tuple(name for name in due if name in there and _differs(there[name].schedule, meant(*due[name]))),
        removed=tuple(name for name in there if name not in due and name.startswith(_PREFIX)),
    )


async def rebuild(client: Client, wanted: Iterable[tuple[Endpoint, Controls]]) -> Rebuilt:
    """Make Temporal's schedules agree with these, which are all there are."""
    due = _due(wanted)
    lacking = await compare(client, due.values())
    for name in lacking.created + lacking.updated:
        await put(client, *due[name])
    removed = [name for name in lacking.removed if await remove(client, name)]
    return Rebuilt(lacking.created, lacking.updated, tuple(removed))


def _due(wanted: Iterable[tuple[Endpoint, Controls]]) -> dict[str, tuple[Endpoint, Controls]]:
    return {schedule_id(endpoint): (endpoint, controls) for endpoint, controls in wanted if endpoint.schedule}


def _differs(there: ScheduleListSchedule | None, wanted: Schedule) -> bool:
    """Temporal keeps a cron line only as what it means, and its comment as it was: by that the two are compared."""
    return there is None or (
        there.spec.jitter,
        there.spec.time_zone_name or "UTC",
        [one.every for one in there.spec.intervals],
        _comments(there.spec),
        there.state.paused,
    ) != (
        wanted.spec.jitter,
        wanted.spec.time_zone_name or "UTC",
        [one.every for one in wanted.spec.intervals],
        _lines(wanted.spec),
        wanted.state.paused,
    )


def _comments(spec: ScheduleSpec) -> set[str]:
    return {calendar.comment for calendar in spec.calendars if calendar.comment}


def _lines(spec: ScheduleSpec) -> set[str]:
    return {line.partition("#")[2].strip() for line in spec.cron_expressions}
