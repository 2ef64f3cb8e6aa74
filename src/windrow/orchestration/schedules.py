"""Schedules: Temporal keeps the time, Postgres knows what was meant. Whatever Temporal lost is rebuilt from there."""

from collections.abc import Iterable, Mapping
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
    WorkflowExecution,
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
from windrow.orchestration.codec import sealing_key
from windrow.orchestration.controls import Controls
from windrow.orchestration.lifecycle import State

TENANT = SearchAttributeKey.for_keyword("WindrowTenant")
ENDPOINT = SearchAttributeKey.for_keyword("WindrowEndpoint")
DIRECTIVE = SearchAttributeKey.for_keyword("WindrowDirective")
STATE = SearchAttributeKey.for_keyword("WindrowState")

_PREFIX = "sync/"
# what a pause holds back, or has
_HELD = (State.PENDING, State.BACKOFF, State.PAUSED)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What had to be done so that Temporal agrees with Postgres; `told` are lifecycles that had missed a pause or its end."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


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


def meant(endpoint: Endpoint, controls: Controls, key_id: str | None = None) -> Schedule:
    """The schedule as Postgres has it, its arguments sealed with the key of this id."""
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
        state=ScheduleState(paused=controls.held_back is not None, note=_note(controls, key_id)),
    )


def _note(controls: Controls, key_id: str | None) -> str | None:
    """What anybody may read. It names the key, since a list shows no arguments: by it one is found that takes another."""
    if key_id is None:
        return controls.held_back
    return f"{'held back, ' if controls.held_back else ''}sealed with {key_id}"


async def put(client: Client, endpoint: Endpoint, controls: Controls) -> bool:
    """Make the schedule what is meant; True if it was not there. Future runs follow it, one under way goes on."""
    wanted = meant(endpoint, controls, sealing_key(client.data_converter))
    try:
        await client.create_schedule(schedule_id(endpoint), wanted, search_attributes=attributes(endpoint))
    except ScheduleAlreadyRunningError:
        await client.get_schedule_handle(schedule_id(endpoint)).update(lambda _: ScheduleUpdate(schedule=wanted))
        return False
    return True


async def keep_retention(client: Client) -> bool:
    """What was kept long enough is removed every hour, by whichever worker has time; True if nobody had seen to it yet."""
    hourly = Schedule(
        action=ScheduleActionStartWorkflow(
            names.RETENTION,
            id=names.RETENTION_ID,
            task_queue=names.META_TS,
            retry_policy=RetryPolicy(maximum_attempts=1),
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=timedelta(hours=1))], jitter=timedelta(minutes=5)),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=timedelta(minutes=10)),
    )
    try:
        await client.create_schedule(names.RETENTION_ID, hourly)
    except ScheduleAlreadyRunningError:
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
    due, key_id = _due(wanted), sealing_key(client.data_converter)
    there = {entry.id: entry async for entry in await client.list_schedules()}
    return Rebuilt(
        created=tuple(name for name in due if name not in there),
        updated=tuple(
            name for name in due if name in there and _differs(there[name].schedule, meant(*due[name], key_id))
        ),
        removed=tuple(name for name in there if name not in due and name.startswith(_PREFIX)),
    )


async def rebuild(client: Client, wanted: Iterable[tuple[Endpoint, Controls]]) -> Rebuilt:
    """Make Temporal's schedules agree with these, which are all there are, and tell the lifecycles that are under way."""
    due = _due(wanted)
    lacking = await compare(client, due.values())
    for name in lacking.created + lacking.updated:
        await put(client, *due[name])
    removed = [name for name in lacking.removed if await remove(client, name)]
    return Rebuilt(lacking.created, lacking.updated, tuple(removed), tuple(await _tell(client, due)))


async def _tell(client: Client, due: Mapping[str, tuple[Endpoint, Controls]]) -> list[str]:
    """A pause, or its end, to lifecycles that wait and have not heard of it: Temporal was away when it was decided."""
    told = []
    states = ", ".join(f"'{state}'" for state in _HELD)
    waiting = f"WorkflowType = '{names.ENDPOINT_SYNC}' AND ExecutionStatus = 'Running' AND WindrowState IN ({states})"
    async for found in client.list_workflows(waiting):
        known = due.get(
            f"{_PREFIX}{found.typed_search_attributes.get(TENANT)}/{found.typed_search_attributes.get(ENDPOINT)}"
        )
        signal = _missed(found, known[1]) if known else None
        if signal:
            await client.get_workflow_handle(found.id, run_id=found.run_id).signal(signal[0], args=signal[1:])
            told.append(found.id)
    return told


def _missed(found: WorkflowExecution, controls: Controls) -> tuple[str, ...] | None:
    """One that was begun by hand while the endpoint was paused goes all the same."""
    is_paused = found.typed_search_attributes.get(STATE) == State.PAUSED
    if controls.paused_at and not is_paused and found.start_time < controls.paused_at:
        return ("pause", controls.paused_why or "paused")
    return ("resume",) if is_paused and not controls.paused_at else None


def _due(wanted: Iterable[tuple[Endpoint, Controls]]) -> dict[str, tuple[Endpoint, Controls]]:
    return {schedule_id(endpoint): (endpoint, controls) for endpoint, controls in wanted if endpoint.schedule}


def _differs(there: ScheduleListSchedule | None, wanted: Schedule) -> bool:
    """Temporal keeps a cron line only as what it means, and its comment as it was: by that the two are compared.

    The note tells what its arguments are sealed with.
    """
    return there is None or (
        there.spec.jitter,
        there.spec.time_zone_name or "UTC",
        [one.every for one in there.spec.intervals],
        _comments(there.spec),
        there.state.paused,
        there.state.note,
    ) != (
        wanted.spec.jitter,
        wanted.spec.time_zone_name or "UTC",
        [one.every for one in wanted.spec.intervals],
        _lines(wanted.spec),
        wanted.state.paused,
        wanted.state.note,
    )


def _comments(spec: ScheduleSpec) -> set[str]:
    return {calendar.comment for calendar in spec.calendars if calendar.comment}


def _lines(spec: ScheduleSpec) -> set[str]:
    return {line.partition("#")[2].strip() for line in spec.cron_expressions}
