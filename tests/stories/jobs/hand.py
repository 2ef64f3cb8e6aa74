"""A worker as a process of its own: `python -m tests.stories.jobs.hand ORDERS`, where the orders are one JSON object.

Its one kind writes down that it was begun, says what a handler says, waits at a gate where there is one, and leaves an
artifact whose bytes follow from the job's id.
"""

import asyncio
import hashlib
import json
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel

from windrow.contracts.errors import Fatal, RetryableTransient
from windrow.contracts.retry import RetryPolicy
from windrow.jobs import Artifact, Kind, Kinds, PressureLimits, Running, Worker, WorkerLimits, child
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import log
from windrow.telemetry.declare import Level

APPLICATION = "windrow story of jobs"  # how the server knows them
PATIENCE = child.Limits(seconds=120)


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What the process is to be."""

    database_url: str
    home: str
    heartbeat: float = 0.25
    lease: float = 1.0
    concurrency: int = 4
    shutdown: float = 10.0
    clock_off: float = 0.0


class Errand(BaseModel):
    """A payload: whether to say nothing at all, a gate to wait at, whether it may be handed back there, a child, a fate."""

    silent: bool = False

    gate: str = ""
    checkpoints: bool = False
    child: bool = False
    fate: str = "done"


class Runner:
    """The kind's handler."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def run(self, running: Running, errand: Errand) -> None:
        note(self._home / "ledger", f"{running.job_id} {running.epoch}")
        if errand.silent:
            return
        if running.earlier and self._is_good(running.earlier):
            self._publish(running.job_id, running.earlier)
            return
        await running.source_ready(bytes=1)
        if errand.child:
            await child.run(["/bin/sh", "-c", "echo $$ > pid; sleep 120"], cwd=self._home, limits=PATIENCE)
        await self._wait(running, errand)
        if errand.fate == "refused":
            raise Fatal("it is not meant to be")
        if errand.fate == "late" and running.attempt == 1:
            raise RetryableTransient("not at the first try")
        await running.progress(100)
        artifact = self._made(running)
        await running.upload(artifact)
        self._publish(running.job_id, artifact)

    async def _wait(self, running: Running, errand: Errand) -> None:
        while errand.gate and not os.path.exists(errand.gate):  # noqa: ASYNC240, PTH110 - a local file
            await running.progress(50)
            if errand.checkpoints:
                running.checkpoint()
            await asyncio.sleep(0.01)

    def _made(self, running: Running) -> Artifact:
        key = f"results/{running.job_id}/attempts/{running.epoch}"
        path = self._home / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(running.job_id))
        return Artifact(key, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())

    def _is_good(self, artifact: Artifact) -> bool:
        path = self._home / artifact.key
        return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == artifact.sha256

    def _publish(self, job_id: str, artifact: Artifact) -> None:
        """From what the row names, to the job's own place, in one move; any number of times."""
        draft = self._home / f"{artifact.key}.{os.getpid()}.{random.getrandbits(32)}"
        draft.write_bytes((self._home / artifact.key).read_bytes())
        draft.replace(self._home / "results" / job_id / "clip.mp4")


def content(job_id: str) -> bytes:
    """What the artifact of a job has to be."""
    return f"a clip of {job_id}".encode() * 50


def note(file: Path, line: str) -> None:
    """One write, so that it is there whole or not at all."""
    opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(opened, f"{line}\n".encode())
    os.close(opened)


async def work(orders: Orders) -> None:
    home = Path(orders.home)
    wakeups = Wakeups(orders.database_url)
    limits = WorkerLimits(
        concurrency=orders.concurrency,
        heartbeat=timedelta(seconds=orders.heartbeat),
        lease=timedelta(seconds=orders.lease),
        poll=timedelta(seconds=0.25),
        shutdown=timedelta(seconds=orders.shutdown),
        backoff=RetryPolicy(timedelta(seconds=0.05), timedelta(seconds=1), attempts=None),
        pressure=PressureLimits(load_threshold=1e9),
    )
    kinds = Kinds(Kind("errand", Errand, Runner(home).run))
    async with Database(orders.database_url, size=6, wait=2.0, application=APPLICATION) as database:
        worker = Worker(
            database,
            wakeups,
            kinds,
            scratch=home / "scratch",
            limits=limits,
            clock=lambda: time.monotonic() + orders.clock_off,
        )
        listening = asyncio.create_task(wakeups.run())
        running = asyncio.create_task(worker.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        await asyncio.wait([running])
        listening.cancel()
        await asyncio.wait([listening])
        if not running.cancelled():
            running.result()


def main() -> None:
    orders = Orders(**json.loads(sys.argv[1]))
    if orders.clock_off:
        true_time = time.time
        time.time = lambda: true_time() + orders.clock_off
    log.configure(
        format=log.Format.JSON,
        level=Level.DEBUG,
        write=lambda line: os.write(1, line.encode()),
        strict=True,
    )
    asyncio.run(work(orders))


if __name__ == "__main__":
    main()
