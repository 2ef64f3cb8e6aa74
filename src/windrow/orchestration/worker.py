"""Workers: they poll queues of a namespace and run what is registered there, until they are told to stop."""

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from windrow.orchestration import names
from windrow.orchestration.interceptor import Border
from windrow.orchestration.registry import ACTIVITIES, FAMILIES
from windrow.telemetry import emit


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """How much at once, and how long a stop waits for what is in hand."""

    activities: int = 20
    workflow_tasks: int = 20
    grace: timedelta = timedelta(seconds=30)


@dataclass(slots=True)
class Workers:
    """One poller for each family and queue. `ready` is set once all of them poll."""

    made: Callable[[], Sequence[Worker]]
    identity: str
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Until cancelled: then nothing new is taken, and what is in hand comes to a safe point.

        May be run again, also after a failure: a poller of Temporal's runs but once, so each time they are made anew.
        """
        pollers = self.made()
        running = [asyncio.create_task(poller.run()) for poller in pollers]
        emit(
            "queues.served",
            queues=sorted({poller.task_queue for poller in pollers}),
            namespaces=sorted({poller.client.namespace for poller in pollers}),
            identity=self.identity,
        )
        self.ready.set()
        try:
            await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
            for one in running:
                if one.done():
                    one.result()
        finally:
            self.ready.clear()
            await asyncio.gather(*(poller.shutdown() for poller in pollers), return_exceptions=True)
            await asyncio.gather(*running, return_exceptions=True)
            emit("queues.left", identity=self.identity)


def worker_identity() -> str:
    """Random for each start of a process: two workers are never taken for one."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"


def workers(
    clients: dict[str, Client],
    queues: Iterable[str],
    activities: Iterable[Callable[..., Any]],
    *,
    limits: WorkerLimits | None = None,
    identity: str | None = None,
    payload_hashes: bool = False,
) -> Workers:
    """Pollers for these queues in the namespaces of these families. Workflows are polled for where orchestration is.

    With `payload_hashes`, what activities were given and returned is told by its hash (OR-40).
    """
    limits, identity = limits or WorkerLimits(), identity or worker_identity()
    # a failed activity is told of by the interceptor, in our taxonomy; the SDK would do so once more
    logging.getLogger("temporalio.activity").setLevel(logging.ERROR)
    known = {_name(one): one for one in activities}
    served = [(family, client, queue) for family, client in clients.items() for queue in queues]

    def poller(family: str, client: Client, queue: str) -> Worker:
        return Worker(
            client,
            task_queue=queue,
            workflows=FAMILIES.get(family, ()) if queue == names.META_TS else (),
            activities=[known[name] for name in ACTIVITIES[queue]],
            interceptors=[Border(payload_hashes=payload_hashes)],
            # workflow code imports contracts and nothing that touches the world: a test sees to that, once, and not
            # the sandbox for every workflow anew
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_concurrent_activities=limits.activities,
            max_concurrent_workflow_tasks=limits.workflow_tasks,
            graceful_shutdown_timeout=limits.grace,
            # a cancellation comes with the answer to a heartbeat that is really sent
            max_heartbeat_throttle_interval=timedelta(seconds=2),
            default_heartbeat_throttle_interval=timedelta(seconds=2),
            # how long the next step of a workflow waits for the worker that has it in memory, and may be gone
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=5),
            identity=identity,
        )

    return Workers(lambda: [poller(*each) for each in served], identity)


def _name(one: Callable[..., Any]) -> str:
    definition = getattr(one, "__temporal_activity_definition", None)
    assert definition, f"{one} is no activity"
    name: str = definition.name
    return name
