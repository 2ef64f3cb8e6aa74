"""What `windrow doctor` looks at in Temporal: the namespaces, the schedules, and whether anybody works there."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from windrow.app.checks import Check, Verdict
from windrow.app.compose import database_url
from windrow.app.declarations import namespaces, reach
from windrow.app.orchestrating import FAMILIES, HARVESTERS, connected, rebuilt_schedules, scheduled
from windrow.contracts.errors import Code, RetryableTransient
from windrow.orchestration import names, schedules
from windrow.orchestration import namespaces as on_server
from windrow.postgres import Database
from windrow.settings import Settings

# a worker asks for work at least once a minute; the server remembers those that are gone for five
_HEARD_OF = timedelta(seconds=90)
_CALL = timedelta(seconds=10)
_KINDS = {
    names.META_PY: (TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,),
    names.META_TS: (TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW),
}
_SHOWN = 5


async def check_namespaces(settings: Settings, *, repair: bool) -> Check:
    """Each is there, as the specs declare it."""
    wanted, client = namespaces(settings), await reach(settings)
    done = await on_server.apply(client, wanted) if repair else []
    drifted = await on_server.check(client, wanted)
    if drifted:
        hint = (
            "`windrow namespaces apply --shorten` also shortens what is kept too long"
            if repair
            else "`windrow doctor --repair` or `windrow namespaces apply` makes them so"
        )
        return Check("namespaces", Verdict.FAIL, _some([str(drift) for drift in drifted]), hint)
    mended = [f"{each.namespace} {each.outcome}" for each in done if each.outcome is not on_server.Outcome.UNCHANGED]
    said = ", ".join(each.name for each in wanted)
    return Check("namespaces", Verdict.OK, f"{said} as declared" + (f" ({', '.join(mended)})" if mended else ""))


async def check_schedules(settings: Settings, *, repair: bool) -> Check:
    """Temporal has the schedules that Postgres knows, and no other."""
    with _answering():
        async with Database(database_url(settings), size=2) as database:
            wanted = await scheduled(database)
            if repair:
                done = await rebuilt_schedules(database, (await connected(settings, (HARVESTERS,))).harvesters)
            else:
                (where,) = namespaces(settings, families=(HARVESTERS,))
                done = await schedules.compare(await reach(settings, where.name), wanted)
    told = [
        f"{len(found)} {what} (such as {found[0]})"
        for what, found in (
            ("created" if repair else "missing", done.created),
            ("brought up to date" if repair else "different", done.updated),
            ("removed" if repair else "too many", done.removed),
        )
        if found
    ]
    if told and not repair:
        hint = "a worker makes them agree within a minute, `windrow doctor --repair` at once"
        return Check("schedules", Verdict.FAIL, ", ".join(told), hint)
    return Check(
        "schedules", Verdict.OK, f"{len(wanted)} as Postgres has them" + (f": {', '.join(told)}" if told else "")
    )


async def check_workers(settings: Settings) -> Check:
    """Somebody asks each queue for work, in the namespace of each family."""
    with _answering():
        client = await reach(settings)
        heard = {
            f"{queue} in {where.name}": [await _pollers(client, where.name, queue, kind) for kind in kinds]
            for where in namespaces(settings, families=FAMILIES)
            for queue, kinds in _KINDS.items()
        }
    unserved = [place for place, pollers in heard.items() if not all(pollers)]
    if unserved:
        hint = "start `windrow worker`, on any machine, or `windrow up`; --queue and --family say which it serves"
        return Check("workers", Verdict.FAIL, f"nobody works on {_some(unserved)}", hint)
    identities = {identity for pollers in heard.values() for each in pollers for identity in each}
    return Check("workers", Verdict.OK, f"{len(identities)} at work on {' and '.join(_KINDS)}")


async def _pollers(client: Client, namespace: str, queue: str, kind: "TaskQueueType.ValueType") -> set[str]:
    """Who has asked this queue for work of late."""
    request = DescribeTaskQueueRequest(namespace=namespace, task_queue=TaskQueue(name=queue), task_queue_type=kind)
    told = await client.workflow_service.describe_task_queue(request, timeout=_CALL)
    since = datetime.now(UTC) - _HEARD_OF
    return {each.identity for each in told.pollers if each.last_access_time.ToDatetime(UTC) > since}


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except RPCError as error:
        said = " ".join(error.message.split())[:200]
        raise RetryableTransient(
            f"Temporal does not answer as it should: {said}",
            code=Code.TEMPORAL_UNREACHABLE,
            hint="look again in a moment; the log of the server may say why",
        ) from error


def _some(found: list[str]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more
