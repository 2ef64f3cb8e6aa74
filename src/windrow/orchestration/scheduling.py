"""Schedules in the hands of operators: paused, resumed, moved, triggered. Postgres first, with its audit row; then Temporal.

Should Temporal not answer, what was decided stands all the same: the next look at all schedules (every process that stays
looks every minute, `windrow doctor --repair` at once) makes Temporal agree.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from temporalio.client import Client
from temporalio.service import RPCError

from windrow import endpoints, kv
from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.orchestration import controls, names, schedules
from windrow.orchestration.controls import Controls
from windrow.postgres import Database, Transaction, audit
from windrow.telemetry import emit

LONGEST_JITTER = timedelta(hours=1)
_ANNOTATION = kv.Semantics(kv.Purpose.ANNOTATION, "operator", ("orchestrator",))


@dataclass(frozen=True, slots=True)
class Scheduled:
    """An endpoint with what is known about its schedule, and what was decided about it if something was."""

    endpoint: Endpoint
    controls: Controls
    decided: str | None = None


async def look(database: Database, scope: Scope, endpoint_id: str) -> Scheduled:
    """As it stands."""
    async with database.tenant(scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
        return Scheduled(endpoint, await controls.find(tx, scope, endpoint_id))


async def pause(where: Database | Transaction, scope: Scope, endpoint_id: str, actor: Actor, reason: str) -> Scheduled:
    """OR-20: nothing begins by itself; what is under way ends."""
    if not reason.strip():
        raise ValidationFailure("the reason says nothing", hint="whoever finds it paused will want to know why")
    async with _within(where, scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
        before = await controls.hold(tx, scope, endpoint_id)
        await controls.pause(tx, scope, endpoint_id, actor, reason)
        return await _changed(tx, endpoint, before, actor, "pause", reason)


async def resume(
    where: Database | Transaction, scope: Scope, endpoint_id: str, actor: Actor, reason: str | None
) -> Scheduled:
    """OR-21: by the schedule again, whether a person had paused it or a failure had halted it."""
    async with _within(where, scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
        before = await controls.hold(tx, scope, endpoint_id)
        await controls.resume(tx, scope, endpoint_id)
        return await _changed(tx, endpoint, before, actor, "resume", reason)


async def reschedule(
    where: Database | Transaction,
    scope: Scope,
    endpoint_id: str,
    actor: Actor,
    *,
    schedule: str | None,
    time_zone: str | None = None,
    jitter: timedelta | None = None,
    reason: str | None = None,
) -> Scheduled:
    """OR-22: future runs follow the new one, running ones finish. None as the schedule takes it away."""
    async with _within(where, scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, scope, endpoint_id)
        before = await controls.hold(tx, scope, endpoint_id)
        zone = checked_zone(time_zone) if time_zone else before.time_zone
        spread = int(checked_jitter(jitter).total_seconds()) if jitter is not None else before.jitter_seconds
        await controls.set_timing(tx, scope, endpoint_id, zone, spread)
        if schedule != endpoint.schedule:
            changes = {"schedule": schedule}
            endpoint = await endpoints.edit(tx, endpoint, changes, expected_version=endpoint.version, actor=actor)
        return await _changed(tx, endpoint, before, actor, "reschedule", reason)


async def carry_out(client: Client, scheduled: Scheduled) -> None:
    """Make Temporal's schedule what was decided, and tell the synchronisation that is under way."""
    endpoint = scheduled.endpoint
    try:
        if endpoint.schedule and endpoint.removed_at is None:
            await schedules.put(client, endpoint, scheduled.controls)
        else:
            await schedules.remove(client, schedules.schedule_id(endpoint))
        if scheduled.decided in ("pause", "resume"):  # another time is for future runs, and ends no wait
            await _tell_running(client, scheduled)
    except RPCError as error:
        raise RetryableTransient(
            f"it is decided, but Temporal could not be told: {error.message}",
            code=Code.TEMPORAL_UNREACHABLE,
            hint="nothing else is to be done: it is made to agree within a minute, or at once by `windrow doctor --repair`",
        ) from error


@asynccontextmanager
async def _within(where: Database | Transaction, tenant_id: str) -> AsyncIterator[Transaction]:
    """The caller's transaction, or one of its own."""
    if isinstance(where, Transaction):
        yield where
    else:
        async with where.tenant(tenant_id) as tx:
            yield tx


async def _tell_running(client: Client, scheduled: Scheduled) -> None:
    scope, held = scheduled.endpoint.scope, scheduled.controls.paused_why
    whose = f"{scope.project_id}/{scheduled.endpoint.endpoint_id}"
    running = (
        f"WorkflowType = '{names.ENDPOINT_SYNC}' AND ExecutionStatus = 'Running'"
        f" AND WindrowTenant = '{scope.tenant_id}' AND WindrowEndpoint = '{whose}'"
    )
    async for found in client.list_workflows(running):
        handle = client.get_workflow_handle(found.id, run_id=found.run_id)
        await (handle.signal("pause", held) if held else handle.signal("resume"))


async def _changed(
    tx: Transaction, endpoint: Endpoint, before: Controls, actor: Actor, action: str, reason: str | None
) -> Scheduled:
    after = await controls.find(tx, endpoint.scope, endpoint.endpoint_id)
    await audit.record(
        tx,
        actor,
        f"schedule.{action}",
        f"endpoints/{endpoint.endpoint_id}",
        project_id=endpoint.scope.project_id,
        before=_plain(before),
        after=_plain(after) | {"schedule": endpoint.schedule},
        reason=reason,
    )
    await _annotate(tx, endpoint, after, actor)
    said: dict[str, Any] = {"schedule": endpoint.schedule, "actor": actor.name, "reason": reason}
    tx.after_commit(lambda: emit("schedule.changed", endpoint_id=endpoint.endpoint_id, action=action, **said))
    return Scheduled(endpoint, after, action)


async def _annotate(tx: Transaction, endpoint: Endpoint, after: Controls, actor: Actor) -> None:
    """OR-20: what holds a schedule back stands in the semantic store too, where other agents look."""
    key = Key.of(endpoint.scope, "schedule", endpoint.endpoint_id, "annotation")
    seen = await kv.get(tx, key)
    value = {"paused": after.paused_at is not None, "reason": after.paused_why, "by": after.paused_by}
    if seen is None and not value["paused"]:
        return
    outcome = await kv.put(
        tx,
        key,
        value,
        expected_version=seen.version if seen else 0,
        request_id=f"schedule/{endpoint.endpoint_id}/{seen.version if seen else 0}",
        semantics=_ANNOTATION,
        writer=kv.Writer("operator", "schedule"),
        actor=actor,
    )
    if isinstance(outcome, kv.Stale):
        raise outcome.conflict(key)


def _plain(known: Controls) -> dict[str, object]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in asdict(known).items()}


def checked_zone(name: str) -> str:
    """A time zone that exists, as the tz database spells it."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValidationFailure(
            f"there is no time zone {name[:60]!r}", code=Code.INVALID_VALUE, hint="such as Europe/Berlin, or UTC"
        ) from error


def checked_jitter(jitter: timedelta) -> timedelta:
    """Within an hour."""
    if not timedelta(0) <= jitter <= LONGEST_JITTER:
        raise ValidationFailure("runs are spread over at most an hour", code=Code.INVALID_VALUE, hint="such as 5m")
    return jitter
