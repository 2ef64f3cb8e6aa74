"""Workers as real processes, `windrow jobs work`, and a way to see what they do."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from windrow.clips.asked import Asked
from windrow.clips.clip import NAME
from windrow.contracts.scope import Scope
from windrow.jobs import reading
from windrow.jobs.enqueue import enqueue
from windrow.jobs.job import Job, JobEvent
from windrow.objects import ObjectStore, open_objects
from windrow.postgres import Database

ACME = Scope("acme", "main")
# of those who are meant to lose it, in seconds; and of those who are not, whatever holds them up
SHORT, LONG = 2.0, 60.0


class Hand:
    """One worker."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.log = log
        line = [sys.executable, "-m", "windrow", "jobs", "work", "--json"]
        with log.open("w") as stderr:
            self.process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
        assert self.process.stdout
        if not self.process.stdout.readline():
            self.end()
            raise AssertionError(log.read_text()[-2000:])

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ffmpegs(self) -> list[int]:
        """The ffmpeg processes that it has started and that run."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split() if "ffmpeg" in _program(int(pid))]

    def said(self, event: str) -> list[dict[str, Any]]:
        """The log lines of one event; the last one may be half written yet."""
        whole = self.log.read_text().rpartition("\n")[0]
        lines = [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def end(self) -> int:
        """As an operator ends it; its exit code."""
        if self.process.poll() is None:
            self.send(signal.SIGCONT)
            self.send(signal.SIGTERM)
        code = self.process.wait(timeout=100)
        assert self.process.stdout
        self.process.stdout.close()
        return code


class Crew:
    """The workers of a test, their database and their home."""

    def __init__(self, database: Database, directory: Path) -> None:
        self.database, self._directory = database, directory
        self._hands: list[Hand] = []

    @property
    def store(self) -> ObjectStore:
        return open_objects(f"file:{self._directory / 'home' / 'objects'}").for_tenant(ACME.tenant_id)

    def hire(self, *, lease: float = LONG) -> Hand:
        """Start a worker; it is ready when this returns."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
        environment = kept | {
            "WINDROW_HOME": str(self._directory / "home"),
            "WINDROW_DATABASE_URL": self.database.url,
            "WINDROW_PATHS_ALLOWED": f"acme={self._directory}",
            "WINDROW_LOG_FORMAT": "json",
            "HEARTBEAT_INTERVAL_SEC": str(SHORT / 5),
            "LEASE_TIMEOUT_SEC": str(lease),
            "MAX_CONCURRENCY": "1",
        }
        hand = Hand(environment, self._directory / f"worker-{len(self._hands)}.log")
        self._hands.append(hand)
        return hand

    def dismiss(self) -> None:
        for hand in self._hands:
            hand.end()

    async def ask(self, source: Path, start: float, end: float) -> str:
        async with self.database.tenant(ACME.tenant_id) as tx:
            return (await enqueue(tx, ACME, NAME, Asked(source=f"file:{source}", start=start, end=end))).job_id

    async def until(self, job_id: str, event: str) -> None:
        """Wait until something has befallen the job."""
        while event not in [one.event for one in await self.befell(job_id)]:
            await self.pause()

    async def ended(self, job_id: str) -> Job:
        """Wait for its end."""
        while not (job := await self.job(job_id)).status.is_final:
            await self.pause()
        return job

    async def pause(self) -> None:
        async with self.database.tenant(ACME.tenant_id) as tx:
            await tx.connection.execute("SELECT pg_sleep(0.02)")

    async def job(self, job_id: str) -> Job:
        async with self.database.tenant(ACME.tenant_id) as tx:
            job = await reading.find(tx, job_id)
        assert job
        return job

    async def befell(self, job_id: str) -> list[JobEvent]:
        async with self.database.tenant(ACME.tenant_id) as tx:
            return await reading.events(tx, job_id)

    async def held(self, job_id: str) -> dict[str, bytes]:
        """Everything that is stored of the job."""
        keys = [listed.key async for listed in self.store.list(f"results/{job_id}")]
        return {key: await self.store.get(key) for key in keys}


def is_there(pid: int) -> bool:
    """Whether the process runs; one that is dead and not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""
