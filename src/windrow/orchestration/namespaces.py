"""Namespaces on a server: compared with the specs, created or mended, and required by those who work in one."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import NamespaceState
from temporalio.api.namespace.v1 import NamespaceConfig, UpdateNamespaceInfo
from temporalio.api.workflowservice.v1 import (
    DescribeNamespaceRequest,
    ListWorkflowExecutionsRequest,
    RegisterNamespaceRequest,
    UpdateNamespaceRequest,
)
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.orchestration.namespace import IDENTITY, Drift, Found, Namespace, days, differences, identity
from windrow.telemetry import emit

_CALL = timedelta(seconds=10)
# a server's parts learn of a new namespace one after the other, within seconds
_APPEARS_WITHIN = timedelta(seconds=60)
_LOOK_AGAIN = timedelta(milliseconds=100)


class Outcome(StrEnum):
    """What became of a namespace."""

    CREATED = "created"
    MENDED = "mended"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done about one namespace, and which drift is left."""

    namespace: str
    outcome: Outcome
    mended: tuple[Drift, ...] = ()
    left: tuple[Drift, ...] = ()


async def check(client: Client, namespaces: Iterable[Namespace]) -> list[Drift]:
    """Each namespace that is missing and each field that has drifted."""
    return [drift for wanted in namespaces for drift in differences(wanted, await describe(client, wanted.name))]


async def apply(client: Client, namespaces: Iterable[Namespace], *, shorten: bool = False) -> list[Applied]:
    """Create what is missing and mend what has drifted. A longer retention is left alone unless `shorten` is asked for.

    Any number of processes may do this at once.
    """
    wanted = list(namespaces)
    applied = [await _apply(client, each, shorten) for each in wanted]
    # waited for together: the server learns of new ones at intervals
    for each in wanted:
        await _appeared(client, each.name)
    return applied


async def require(client: Client, *, environment: str, family: str, tenant: str | None = None) -> None:
    """Refuse to work in the client's namespace if it is missing, not to be used, or meant for something else."""
    name = client.namespace
    found = await describe(client, name)
    if found is None:
        raise _refusal(f"there is no namespace {name!r}")
    if not found.usable:
        raise _refusal(f"the namespace {name!r} is deprecated or deleted")
    for key, due in identity(environment, family, tenant).items():
        if (there := found.data.get(key, "")) != due:
            raise _refusal(f"the namespace {name!r} has {key} {there or 'none'!r}, where {due or 'none'!r} is due")


async def describe(client: Client, name: str) -> Found | None:
    """What the server says of a namespace; None where it is not there."""
    request = DescribeNamespaceRequest(namespace=name)
    try:
        told = await client.workflow_service.describe_namespace(request, timeout=_CALL)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise _translated(error, name) from error
    return Found(
        description=told.namespace_info.description,
        retention=told.config.workflow_execution_retention_ttl.ToTimedelta(),
        data=dict(told.namespace_info.data),
        usable=told.namespace_info.state == NamespaceState.NAMESPACE_STATE_REGISTERED,
    )


async def _apply(client: Client, wanted: Namespace, shorten: bool) -> Applied:
    found = await describe(client, wanted.name)
    if found is None:
        if await _register(client, wanted):
            emit("namespace.created", namespace=wanted.name, retention=days(wanted.retention))
            return Applied(wanted.name, Outcome.CREATED)
        found = await describe(client, wanted.name)
    return await _mend(client, wanted, found, shorten)


async def _register(client: Client, wanted: Namespace) -> bool:
    """False if somebody else was first."""
    request = RegisterNamespaceRequest(
        namespace=wanted.name,
        description=wanted.description,
        workflow_execution_retention_period=_duration(wanted.retention),
        data=wanted.data,
    )
    try:
        await client.workflow_service.register_namespace(request, timeout=_CALL)
    except RPCError as error:
        if error.status is RPCStatusCode.ALREADY_EXISTS:
            return False
        raise _translated(error, wanted.name) from error
    return True


async def _mend(client: Client, wanted: Namespace, found: Found | None, shorten: bool) -> Applied:
    drifted = differences(wanted, found)
    for drift in drifted:
        if drift.field in {*IDENTITY, "state"} and drift.found is not None:
            raise _refusal(
                f"{drift}: it is not ours to mend", hint="choose another name for one of the two, or remove it"
            )
    longer = found is not None and found.retention > wanted.retention
    held = [drift for drift in drifted if drift.field == "retention" and longer and not shorten]
    if len(drifted) > len(held):
        await _update(client, wanted, retention=wanted.retention if not held else None)
        left = await check(client, [wanted])
        mended = tuple(drift for drift in drifted if drift.field not in {each.field for each in left})
        emit("namespace.mended", namespace=wanted.name, fields=[drift.field for drift in mended])
        return Applied(wanted.name, Outcome.MENDED, mended, tuple(left))
    return Applied(wanted.name, Outcome.UNCHANGED, left=tuple(held))


async def _update(client: Client, wanted: Namespace, retention: timedelta | None) -> None:
    request = UpdateNamespaceRequest(
        namespace=wanted.name,
        update_info=UpdateNamespaceInfo(description=wanted.description, data=wanted.data),
        config=NamespaceConfig(workflow_execution_retention_ttl=_duration(retention)) if retention else None,
    )
    try:
        await client.workflow_service.update_namespace(request, timeout=_CALL)
    except RPCError as error:
        raise _translated(error, wanted.name) from error


async def _appeared(client: Client, name: str) -> None:
    """Wait until the server takes work for it: a namespace can be described before anything can be started in it."""
    request = ListWorkflowExecutionsRequest(namespace=name, page_size=1)
    try:
        async with asyncio.timeout(_APPEARS_WITHIN.total_seconds()):
            while not await _answers(client, request):  # noqa: ASYNC110 - there is no event of it to wait for
                await asyncio.sleep(_LOOK_AGAIN.total_seconds())
    except TimeoutError:
        raise RetryableTransient(
            f"the namespace {name!r} was created and does not appear",
            code=Code.TEMPORAL_UNREACHABLE,
            hint="run the same again; the server's log may say why",
        ) from None


async def _answers(client: Client, request: ListWorkflowExecutionsRequest) -> bool:
    try:
        await client.workflow_service.list_workflow_executions(request, timeout=_CALL)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise _translated(error, request.namespace) from error
    return True


def _duration(span: timedelta) -> Duration:
    duration = Duration()
    duration.FromTimedelta(span)
    return duration


def _refusal(
    message: str, hint: str = "`windrow namespaces check` says what is wrong, `windrow namespaces apply` mends it"
) -> Fatal:
    return Fatal(message, code=Code.CONFIGURATION, hint=hint)


def _translated(error: RPCError, name: str) -> WindrowError:
    said = f"Temporal does not do that for the namespace {name!r}: {' '.join(error.message.split())[:200]}"
    match error.status:
        case RPCStatusCode.PERMISSION_DENIED | RPCStatusCode.UNAUTHENTICATED | RPCStatusCode.UNIMPLEMENTED:
            hint = "a hosted Temporal may want it made with the host's own tool; `windrow namespaces check` says what is missing"
            return Fatal(said, code=Code.FORBIDDEN, hint=hint)
        case RPCStatusCode.INVALID_ARGUMENT:
            hint = "where dots are refused, set WINDROW_NAMESPACE_SEPARATOR to '-'"
            return ValidationFailure(said, code=Code.REFUSED, hint=hint)
        case _:
            return RetryableTransient(said, code=Code.TEMPORAL_UNREACHABLE, hint="try again when Temporal is well")
