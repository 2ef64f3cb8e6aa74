"""The metadata worker from a job's birth to its objects, in a process that dies where it is told to.

`python -m tests.stories.media.worker_process`: reads orders, a JSON object a line, and forks a process for each, so that one
costs a moment and not the seconds that its imports take. What it answers is the exit code.
"""

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from tests.fakes.youtube import KEY
from tests.stories.harvest.faults import Act, Fault, Points

from windrow.app.events import served
from windrow.app.media import MediaWork, media, topics_of
from windrow.app.outside import outside
from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.objects.local.driver import LocalDriver
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings
from windrow.telemetry import log
from windrow.telemetry.declare import Level

VIDEO = "https://youtu.be/oBM7DIeMsP0"


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Whose job it is, where the world is, and the point at which the process dies; `notes` is where points are told."""

    tenant: str
    database_url: str
    home: str
    youtube: str
    notes: str
    fault: str | None = None

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, "default")

    @property
    def settings(self) -> Settings:
        return Settings(
            home=Path(self.home),
            tenant=self.tenant,
            youtube_url=self.youtube,
            youtube_api_key_ref="env:YOUTUBE",
            addresses_allowed=(httpx2.URL(self.youtube).netloc.decode(),),
        )


async def live(orders: Orders) -> None:
    """Submit, mirror, be told, enrich, mirror."""
    settings = orders.settings
    async with (
        Database(orders.database_url, size=1) as database,
        outside(settings, {"YOUTUBE": KEY}) as beyond,
        media(settings, database, beyond, Wakeups(database.url)) as work,
        served(settings, database, work) as front,
        httpx2.AsyncClient(base_url=front.url, trust_env=False, timeout=60) as client,
    ):
        await born(database, settings, orders.scope)
        await mirrored(work)
        answered = await client.post("/", json=event(orders.tenant), headers=STRUCTURED)
        assert answered.json()["outcome"] == "processed", answered.text
        await mirrored(work)


async def born(database: Database, settings: Settings, scope: Scope) -> None:
    """Somebody submits the job, who may have done so before."""
    wished = Submission(media=media_of(VIDEO), request_id="r-1")
    async with database.tenant(scope.tenant_id) as tx:
        if await rows.find(tx, "job") is None:
            await submit(tx, scope, wished, topics=topics_of(settings), job_id="job")


async def mirrored(work: MediaWork) -> None:
    while await work.mirror.step():
        pass


STRUCTURED = {"content-type": "application/cloudevents+json"}


def event(tenant: str) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": "1",
        "source": "//storage.googleapis.com/projects/_/buckets/windrow",
        "type": "google.cloud.storage.object.v1.finalized",
        "subject": f"objects/{tenant}/jobs/Queued/job.json",
    }


def watch_objects(points: Points) -> None:
    """The store is the outside world here, as the database is."""
    driver: Any = LocalDriver
    for verb in ("put", "delete"):
        driver_verb = getattr(driver, verb)

        async def watched(self: Any, key: str, *rest: Any, verb: str = verb, original: Any = driver_verb) -> Any:
            with points.watch(f"{verb} {key.rpartition('/')[0]}"):
                return await original(self, key, *rest)

        setattr(driver, verb, watched)


def born_to_die(orders: Orders) -> None:
    """The whole life of a child."""
    notes = os.open(orders.notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    fault = Fault(Act.KILL, orders.fault) if orders.fault else None
    points = Points(fault, lambda name: os.write(notes, f"{name}\n".encode()) and None, lambda _: None)
    points.install()
    watch_objects(points)
    asyncio.run(live(orders))


def main() -> None:
    log.configure(format=log.Format.JSON, level=Level.ERROR, strict=True)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            code = 1
            try:
                born_to_die(Orders(**json.loads(line)))
                code = 0
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
