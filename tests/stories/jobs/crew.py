"""The crew of a story: worker processes that are started, listened to and signalled, and the jobs that they are given."""

import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.integration.jobs.timeline import unlawful
from tests.stories.jobs.hand import Errand, Orders, content

from windrow import jobs
from windrow.contracts.scope import Scope
from windrow.jobs import Job, JobEvent, Status
from windrow.postgres import Database

SCOPE = Scope("acme", "main")
PATIENCE = 100


class Hand:
    """One worker process, and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self._more = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def until(self, event: str, **fields: Any) -> dict[str, Any]:
        """The first line of that event with these fields, said or yet to be said."""

        def heard() -> dict[str, Any] | None:
            return next(
                (line for line in self.lines if line["event"] == event and fields.items() <= line.items()), None
            )

        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(lambda: heard() or self._reading.done())
        line = heard()
        assert line, f"it ended without {event}: {self.lines[-3:]}"
        return line

    def send(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE):
            code = await self.process.wait()
            await self._reading
        return code

    def events(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]

    async def _read(self) -> None:
        assert self.process.stdout
        async for line in self.process.stdout:
            async with self._more:
                # the last line of one that was killed may lack its end
                if line.endswith(b"\n"):
                    self.lines.append(json.loads(line))
                self._more.notify_all()
        async with self._more:
            self._more.notify_all()


class Crew:
    """Everybody, and the database they work with."""

    def __init__(self, database: Database, home: Path) -> None:
        self.database, self.home = database, home
        self.hands: list[Hand] = []

    @classmethod
    @asynccontextmanager
    async def of(cls, database: Database, home: Path) -> AsyncIterator["Crew"]:
        crew = cls(database, home)
        try:
            yield crew
        finally:
            for hand in crew.hands:
                hand.send(signal.SIGKILL)
            await asyncio.gather(*(hand.ended() for hand in crew.hands))

    async def hire(self, **more: Any) -> Hand:
        """A worker that is ready."""
        hand = await self.start(**more)
        await hand.until("worker.started")
        return hand

    async def start(self, **more: Any) -> Hand:
        orders = Orders(database_url=self.database.url, home=str(self.home), **more)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.stories.jobs.hand",
            json.dumps(asdict(orders)),
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 22,
        )
        self.hands.append(Hand(process))
        return self.hands[-1]

    @property
    def gate(self) -> Path:
        return self.home / "gate"

    async def give(self, *errands: Errand) -> list[str]:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return [one.job_id for one in await jobs.enqueue_many(tx, SCOPE, "errand", errands)]

    async def job(self, job_id: str) -> Job:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            found = await jobs.find(tx, job_id)
        assert found
        return found

    async def events(self, job_id: str) -> list[JobEvent]:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return await jobs.events(tx, job_id)

    async def told(self, job_id: str) -> list[str]:
        """The names of its events, progress left out."""
        return [event.event for event in await self.events(job_id) if event.event != "progress"]

    async def until(self, job_id: str, true: Callable[[Job], bool]) -> Job:
        async with asyncio.timeout(PATIENCE):
            while not true(job := await self.job(job_id)):
                await self.moment()
        return job

    async def until_told(self, job_id: str, event: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while event not in await self.told(job_id):
                await self.moment()

    async def until_all_ended(self, patience: float = PATIENCE) -> None:
        async with asyncio.timeout(patience):
            while await self._open():
                await self.moment()

    async def moment(self, seconds: float = 0.02) -> None:
        async with self.database.connection() as connection:
            await connection.execute("SELECT pg_sleep(%s)", [seconds])

    def begun(self) -> Counter[str]:
        """How often each job was begun, as the handlers wrote it down."""
        return Counter(line.split()[0] for line in (self.home / "ledger").read_text().splitlines())

    def published(self, job_id: str) -> bytes | None:
        path = self.home / "results" / job_id / "clip.mp4"
        return path.read_bytes() if path.exists() else None

    async def wrongs(self, job_ids: Iterable[str]) -> list[str]:
        """What is not as it should be with jobs that have all ended."""
        found = []
        for job_id in job_ids:
            job = await self.job(job_id)
            if wrong := unlawful(await self.events(job_id)):
                found.append(f"{job_id}: {wrong}")
            if job.status is Status.DONE and self.published(job_id) != content(job_id):
                found.append(f"{job_id}: its artifact is not what it should be")
        return found

    async def _open(self) -> bool:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return any(not Status(count.status).is_final for count in await jobs.counts(tx))
