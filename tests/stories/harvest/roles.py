"""What the processes of the stories do: the real harvester and the real subscriber, with faults around them.

Forked from a server that has imported this and done nothing yet (`processes`), so whatever is made once a process is made
here, before the fork.
"""

import asyncio
import gc
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY
from tests.stories.harvest.faults import Act, Fault, Points
from tests.stories.harvest.gazette import BATCH_BYTES, LANES, GazetteConfig, GazetteConnector

from windrow import endpoints
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import standalone
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.harvest import scrutiny
from windrow.harvest.persist import Budget
from windrow.harvest.run import Outcome
from windrow.harvest.slice import Order, harvest
from windrow.harvest.subscriber import Subscriber, SubscriberLimits
from windrow.http.transport import system_tls
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeup, Wakeups
from windrow.telemetry import catalogue, log
from windrow.telemetry.declare import Level
from windrow.telemetry.export import export

ENDPOINT = "gazette"
APPLICATION = "windrow story"  # how the server knows them
FAILED, SUPERSEDED = 3, 4


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a process is to do, where it writes what it says, and what befalls it."""

    role: str
    database_url: str
    tenant: str
    log: Path
    lanes: tuple[str, ...] = tuple(LANES)
    fault: Fault | None = None
    noting: bool = False


def live(job: Job, heard: Connection) -> None:
    """The whole life of a child."""
    # one write a line, so that what was said before a kill is there after it
    written = os.open(job.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    export(job.role)

    def write(line: str) -> None:
        os.write(written, line.encode())

    def scrape() -> None:
        write(json.dumps({"metrics": _metrics()}) + "\n")

    def note(point: str) -> None:
        write(json.dumps({"point": point}) + "\n")

    def last_words(act: Act) -> None:
        scrape()
        if act is Act.STOP:
            heard.send("stopped")

    log.configure(format=log.Format.JSON, level=Level.DEBUG, write=write, strict=True)
    points = Points(job.fault, note if job.noting else lambda _: None, last_words)
    points.install()
    code = asyncio.run(_ROLES[job.role](job, points))
    scrape()
    os._exit(code)


def _metrics() -> dict[str, float]:
    """As Prometheus would see them now: the counters of the harvest, over all labels but the result."""
    found: dict[str, float] = {}
    for family in REGISTRY.collect():
        for sample in family.samples:
            if sample.name.startswith(("harvest_", "worker_batch")) and sample.name.endswith("_total"):
                name = " ".join(filter(None, (sample.name, sample.labels.get("result"))))
                found[name] = found.get(name, 0) + sample.value
    return found


async def _harvester(job: Job, points: Points) -> int:
    """A slice of each of its lanes, one after the other, as the orchestrator would have them run."""
    async with Database(job.database_url, size=4, application=APPLICATION) as database:
        try:
            for lane in job.lanes:
                if await _slice(database, job, lane, points) is Outcome.SUPERSEDED:
                    return SUPERSEDED
        except WindrowError:
            return FAILED
    return 0


async def _slice(database: Database, job: Job, lane: str, points: Points) -> Outcome:
    scope = Scope(job.tenant, "main")
    async with database.tenant(job.tenant) as tx:
        endpoint = await endpoints.get(tx, scope, ENDPOINT)
    context = standalone(
        scope, permits=Permits(job.tenant), cache=Path("unused"), endpoint_id=ENDPOINT, watch=points.watch
    )
    connector = GazetteConnector(GazetteConfig(**endpoint.config), context, LANES[lane])
    order = Order(endpoint=endpoint, lane=Lane(scope, ENDPOINT, lane), run_id=run_of(lane), batch_bytes=BATCH_BYTES)
    try:
        return (await harvest(database, connector, order)).outcome
    finally:
        await connector.close()


def run_of(lane: str) -> str:
    """The same for each attempt: an orchestrator tries a run again under its own id."""
    return f"run-{LANES[lane]}"


class _Idle(Wakeups):
    """Wake-ups that tell when their subscriber has nothing to do."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.idle = asyncio.Event()

    def on(self, channel: str) -> Wakeup:  # noqa: ARG002 - nobody listens
        idle = self.idle

        class Telling(Wakeup):
            async def wait(self, poll: float) -> bool:
                idle.set()
                return await super().wait(poll)

        return Telling()


async def _subscriber(job: Job, points: Points) -> int:
    """Until there is nothing to do; nobody but its own polling wakes it, so that its statements come in one order."""
    wakeups = _Idle(job.database_url)
    async with Database(job.database_url, size=2, application=APPLICATION) as database:
        serving = asyncio.create_task(_of(database, wakeups, lanes=1).run())
        idle = asyncio.create_task(wakeups.idle.wait())
        await asyncio.wait([serving, idle], return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()  # it never ends by itself: this raises
        serving.cancel()
        await asyncio.wait([serving])
    return 0


async def _worker(job: Job, points: Points) -> int:
    """A subscriber as `windrow up` runs it, until it is killed."""
    wakeups = Wakeups(job.database_url)
    async with Database(job.database_url, size=4, application=APPLICATION) as database, asyncio.TaskGroup() as group:
        serving = _of(database, wakeups, lanes=2)
        group.create_task(wakeups.run())
        group.create_task(serving.run())
    return 0


def _of(database: Database, wakeups: Wakeups, *, lanes: int) -> Subscriber:
    # three batches at once: neither all of a lane in one transaction, nor each in its own
    limits = SubscriberLimits(lanes=lanes, budget=Budget(batches=3), poll=timedelta(milliseconds=100))
    return Subscriber(database, wakeups, limits=limits)


_ROLES: dict[str, Callable[[Job, Points], Any]] = {
    "harvester": _harvester,
    "subscriber": _subscriber,
    "worker": _worker,
}


# the taxonomy, the certificates, the validator of what is refused; and the collector leaves alone what all share
catalogue.events()
system_tls()
scrutiny.examine({})
gc.freeze()
